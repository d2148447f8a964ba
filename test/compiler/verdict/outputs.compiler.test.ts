import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Asc } from "../../../src/compiler/asc/asc.js";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { startAsc } from "../../../src/machine/compiler/asc.js";
import { event, fn, struct } from "../abi/entries.js";
import { type Called, type Field, judge, underlined } from "./harness.js";

/*
 * Expressions by which users read one of several outputs of a call, when they know the outputs from the ABI.
 */

const called: Called = {
  abi: [
    event("E", "address from", "uint256 amount"),
    fn("slot0", "view", [], ["uint160 sqrtPriceX96", "int24 tick", "bool unlocked"]),
    fn("getReserves", "view", [], ["uint112 _reserve0", "uint112 _reserve1", "uint32 _last"]),
    fn("one", "view", [], ["uint256 amount0", "bool done"]),
    fn("pair", "view", [], ["uint256", "address"]),
    fn("both", "view", [], [struct("pos", ["int24 tick", "address owner"]), "uint256 n"]),
    fn("info", "view", [], [struct("", ["int24 tick", "address owner"])]),
    fn(
      "many",
      "view",
      [],
      Array.from({ length: 12 }, (_, index) => `uint256 out${index}`),
    ),
    fn("owner", "view", [], ["address"]),
  ],
  calls: {
    slot0: { name: "slot0" },
    needed: { name: "slot0", required: true },
    held: { name: "slot0", conditions: { post: "result.value.tick != 0" } },
    reserves: { name: "getReserves" },
    one: { name: "one" },
    pair: { name: "pair" },
    both: { name: "both" },
    info: { name: "info" },
    many: { name: "many" },
    owner: { name: "owner" },
  },
};

/** A field, its hint, and the expression after its fix, if it has one. */
type Case = readonly [...field: Field, hint: string, fixed?: string];

const cases: readonly Case[] = [
  ["int24", "calls.slot0.tick", "write calls.slot0!.getTick()", "calls.slot0!.getTick()"],
  ["int24", "calls.needed.tick", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.slot0!.tick", "write calls.slot0!.getTick()", "calls.slot0!.getTick()"],
  ["int24", "(calls.needed).tick", "write calls.needed.getTick()", "calls.needed.getTick()"],
  [
    "int24",
    "calls.slot0 === null ? 0 : calls.slot0.tick",
    "write calls.slot0!.getTick()",
    "calls.slot0 === null ? 0 : calls.slot0!.getTick()",
  ],
  ["int24", "calls.needed.Tick", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.needed.tick()", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.needed.get_tick()", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.needed.gettick()", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.needed.getTick", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.needed.ticks", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.needed.value.tick", "write calls.needed.getTick()", "calls.needed.getTick()"],
  ["int24", "calls.slot0[1]", "write calls.slot0!.value1", "calls.slot0!.value1"],
  ["int24", "calls.needed[1]", "write calls.needed.value1", "calls.needed.value1"],
  ["int24", 'calls.needed["tick"]', "write calls.needed.getTick()", "calls.needed.getTick()"],
  [
    "uint160",
    "calls.needed.sqrt_price_x96",
    "write calls.needed.getSqrtPriceX96()",
    "calls.needed.getSqrtPriceX96()",
  ],
  [
    "uint112",
    "calls.reserves.reserve0",
    "write calls.reserves!.get_reserve0()",
    "calls.reserves!.get_reserve0()",
  ],
  [
    "uint112",
    "calls.reserves!._reserve0.plus(calls.reserves!._reserve1)",
    "write calls.reserves!.get_reserve0() and calls.reserves!.get_reserve1()",
    "calls.reserves!.get_reserve0().plus(calls.reserves!.get_reserve1())",
  ],
  [
    "uint112",
    "calls.reserves.reserve0.plus(calls.reserves.reserve1)",
    "write calls.reserves!.get_reserve0() and calls.reserves!.get_reserve1()",
    "calls.reserves!.get_reserve0().plus(calls.reserves!.get_reserve1())",
  ],
  ["int24", "calls.both.pos.tick", "write calls.both!.getPos()", "calls.both!.getPos().tick"],
  [
    "string",
    "calls.pair!.value2.toHexString()",
    "write one of calls.pair!.getValue0(), calls.pair!.getValue1()",
  ],
  [
    "uint256",
    "calls.pair.value0",
    'mark call "pair" as "required": true, or write calls.pair === null ? … : calls.pair!.value0',
  ],
  ["int24", "calls.info!.getTick()", "write calls.info!.tick", "calls.info!.tick"],
  ["bool", "calls.slot0.reverted", "write calls.slot0_reverted", "calls.slot0_reverted"],
  ["bool", "calls.owner.reverted", "write calls.owner_reverted", "calls.owner_reverted"],
  ["string", "calls.owner!.value.toHexString()", "write calls.owner!", "calls.owner!.toHexString()"],
  [
    "int24",
    "calls.needed",
    "write one of calls.needed.getSqrtPriceX96(), calls.needed.getTick(), calls.needed.getUnlocked()",
  ],
  [
    "int24",
    "calls.slot0",
    `write one of calls.slot0!.getSqrtPriceX96(), calls.slot0!.getTick(), calls.slot0!.getUnlocked()`,
  ],
  [
    "int24",
    "calls.needed.liquidity",
    "write one of calls.needed.getSqrtPriceX96(), calls.needed.getTick(), calls.needed.getUnlocked()",
  ],
  ["uint256", "calls.one!.amount1", "write one of calls.one!.getAmount0(), calls.one!.getDone()"],
  ["uint256", "calls.many!.out7", "write calls.many!.getOut7()", "calls.many!.getOut7()"],
  [
    "uint256",
    "calls.many!.volume",
    `write one of ${[0, 1, 10, 11, 2, 3, 4, 5].map((index) => `calls.many!.getOut${index}()`).join(", ")}, …`,
  ],
];

let asc: Asc;
let said: readonly (readonly Diagnostic[])[];
beforeAll(async () => {
  asc = startAsc();
  said = await judge(cases.map(fieldOf), asc, called);
});
afterAll(() => asc.close());

function fieldOf([type, expression]: Case): Field {
  return [type, expression];
}

function rejected(index: number): Diagnostic | undefined {
  return said[index]?.find(({ code }) => code === "expression-type");
}

/** The expression after all edits of its fix, applied last to first. */
function fixed(index: number): string | undefined {
  const edits = rejected(index)?.fix?.flatMap((edit) => (edit.kind === "part" ? [edit] : []));
  return edits
    ?.sort((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, text: part }) => text.slice(0, start) + part + text.slice(end),
      cases[index]?.[1] ?? "",
    );
}

describe("one of several outputs of a call", () => {
  it.each(cases.map((one, index) => [one[1], index, one] as const))("explains %s", (_, index, [
    ,
    ,
    hint,
    want,
  ]) => {
    expect([rejected(index)?.hint, fixed(index)]).toEqual([hint, want]);
  });

  it("gets a single hint about its getter and about null", () => {
    const notes = new Map(cases.map((one, index) => [one[1], rejected(index)?.notes.slice(1)]));
    expect(notes.get("calls.slot0.tick")).toEqual([
      'calls.slot0 is null when the call reverts: mark call "slot0" as "required": true, or write calls.slot0 === null ? … : calls.slot0!.getTick()',
    ]);
    expect(notes.get("calls.both.pos.tick")).toEqual([
      'calls.both is null when the call reverts: mark call "both" as "required": true, or write calls.both === null ? … : calls.both!.getPos().tick',
    ]);
    expect(notes.get("calls.slot0")).toEqual([
      'calls.slot0 is null when the call reverts: mark call "slot0" as "required": true',
    ]);
    expect(notes.get("calls.slot0!.tick")).toEqual([]);
    const labels = new Map(cases.map((one, index) => [one[1], rejected(index)?.label]));
    expect(labels.get("calls.slot0.tick")).toBe("read through a method of the result, which may be null");
    expect(labels.get("calls.needed.tick")).toBe("read through a method of the result");
    expect(labels.get("calls.needed.liquidity")).toBe("no output has this name");
    expect(labels.get("calls.needed")).toBe("a result with several outputs where an i32 is needed");
  });

  it("gets a hint without the names of generated classes", () => {
    for (const { label, hint, message } of said.flat()) expect(`${label}${hint}${message}`).not.toMatch(/__/);
  });

  it("compiles once the fix or the hint is applied", async () => {
    const zeros: Readonly<Record<string, string>> = { int24: "0", bool: "false", string: '""' };
    const written = cases.flatMap(([type, , hint], index): Field[] => {
      const said = [hint, ...(rejected(index)?.notes ?? [])].join("; ");
      const choice = /or write ([^;]*)$/.exec(said)?.[1]?.replace("…", zeros[type] ?? "BigInt.zero()");
      return [fixed(index), choice].flatMap((text) => (text === undefined ? [] : [[type, text] as const]));
    });
    expect(written.length).toBeGreaterThan(25);
    const found = await judge(written, asc, called);
    expect(
      found
        .flat()
        .filter(({ severity }) => severity === "error")
        .map(underlined),
    ).toEqual([]);
  });

  it("compiles once the fix is applied and the call is required", async () => {
    const slot0 = { name: "slot0", required: true };
    const [found] = await judge([["int24", "calls.slot0!.getTick()"]], asc, {
      ...called,
      calls: { ...called.calls, slot0 },
    });
    expect(found).toEqual([]);
  });
});
