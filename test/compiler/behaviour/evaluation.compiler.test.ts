import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import type { PlayedSubgraph } from "./played-subgraph.js";

const names = ["First", "Swapped", "Renamed", "Kinds", "Optional", "Kept", "Hidden"];
const abi = [
  ...names.map((name) => `event ${name}(address who, uint256 value, bool flag, string note)`),
  "event Twins(address to, address to)",
  "function small() view returns (uint8)",
  "function flag() view returns (bool)",
  "function owner() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
];
const twice = "entity.value.times(BigInt.fromI32(2))";
const more = "entity.value.plus(BigInt.fromI32(1))";
const results = { "small uint8": "calls.small", "flag bool": "(calls.flag)" };
const calls = { small: { name: "small" }, flag: { name: "flag" } };
const fixed = (mapping: object) => [{ id: '"x"', explicit_id: true, mapping }];

const handlers = {
  First: {
    entities: {
      First: { "zoo uint256": more, "note string": 'event.params.note + "!"' },
      Bal: { "v uint256": "entity.zoo!", "note string": 'entity.note === null ? "" : entity.note!' },
      Zed: [{ id: "entity.zoo!.toString()", mapping: { "v uint256": "entity.zoo!" } }],
    },
  },
  Swapped: {
    entities: {
      Swapped: {
        "a bool": "entity.flag",
        "flag bool": "!entity.flag",
        "note string": 'entity.note.length > 0 ? entity.note + "+" : "empty"',
        "rest uint256": more,
        "value uint256": twice,
        "zest uint256": "(entity).value.minus(BigInt.fromI32(1))",
      },
    },
  },
  Renamed: { entities: { Renamed: { "value uint256": twice, "w uint256": more } } },
  Kinds: {
    entities: {
      Kinds: {
        "flag bool": "!entity.flag",
        "note string": '""',
        "xBool bool": "entity.flag",
        "xInt int32": "entity.flag ? 1 : 0",
        "xList uint256[]": "entity.flag ? [entity.value] : []",
        "xText string": "entity.note",
        "xDecimal fixed": 'entity.flag ? BigDecimal.fromString("1.5") : BigDecimal.zero()',
        "xBytes bytes": "entity.flag ? event.transaction.hash : Bytes.empty()",
        "yAll bool": 'entity.get("flag")!.toBoolean()',
      },
    },
  },
  Optional: {
    calls,
    entities: { Seen: results, Optional: results, Loose: { "n int32": "calls.small + 1" } },
  },
  Kept: { calls, entities: { Held: fixed(results) } },
  Hidden: {
    calls: {
      owner: { name: "owner" },
      held: { name: "balanceOf", params: "(event.params.who)", declared: true },
    },
    entities: {
      Found: {
        "owner address": '(calls).owner === null ? "" : (calls).owner!.toHexString()',
        "held uint256": "((calls).held)",
        "used uint256": "(event as ethereum.Event).receipt!.gasUsed",
      },
    },
  },
};

const twins = {
  Twins: {
    calls: {
      first: { name: "balanceOf", params: "event.params.to", declared: true },
      second: { name: "balanceOf", params: "event.params.to1", declared: true },
    },
    entities: { Both: { "first uint256": "calls.first", "second uint256": "calls.second" } },
  },
};

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({
    abis: { Vault: abi },
    instances: [instance("Vault", a(1), { ...handlers, ...twins })],
  });
});

const answers: Readonly<Record<string, unknown>> = {
  "small()": 0n,
  "flag()": false,
  "owner()": a(7),
};

async function emit(
  event: string,
  { reverts = false, flag = true, transaction = "t", played = built.play() } = {},
): Promise<PlayedSubgraph> {
  played.contracts = ({ signature, args }) => {
    if (reverts) return undefined;
    return [answers[signature] ?? (args[0] === a(5) ? 5n : 6n)];
  };
  const values = event === "Twins" ? [a(5), a(6)] : [a(5), 10n, flag, "n"];
  await played.emit(abi, a(1), event, values, { transaction: id(transaction), logIndex: 3 });
  return played;
}

describe("the mapping of the trigger's own type", () => {
  test("comes first, and is stored before other entities read its fields", async () => {
    const played = await emit("First");
    expect(played.all("First")).toMatchObject([{ value: 10n, zoo: 11n, note: "n!" }]);
    expect(played.all("Bal")).toMatchObject([{ v: 11n, note: "n!" }]);
    expect(played.all("Zed")).toMatchObject([{ id: `${id("t")}-3-11`, v: 11n }]);
  });

  test("is evaluated before any of its fields is assigned", async () => {
    expect((await emit("Swapped")).all("Swapped")).toMatchObject([
      { a: true, flag: false, note: "n+", rest: 11n, value: 20n, zest: 9n },
    ]);
  });

  test("gives the same values for any names of its fields", async () => {
    expect((await emit("Renamed")).all("Renamed")).toMatchObject([{ value: 20n, w: 11n }]);
  });

  test.each([
    [true, { xBool: true, xInt: 1, xList: [10n], xBytes: id("t"), yAll: true, flag: false }],
    [false, { xBool: false, xInt: 0, xList: [], xBytes: "0x00000000", yAll: false, flag: true }],
  ])("keeps values of every kind until they are assigned (%s)", async (flag, want) => {
    const [stored] = (await emit("Kinds", { flag })).all("Kinds");
    expect(stored).toMatchObject({ ...want, xText: "n", note: "" });
    expect(String(stored?.xDecimal)).toBe(flag ? "1.5" : "0");
  });
});

describe("a field that is exactly the result of a call", () => {
  const fields = ["small", "flag"];

  test("is unset when the call reverts, for any type", async () => {
    const played = await emit("Optional", { reverts: true });
    for (const field of fields) expect(played.all("Seen")[0]).not.toHaveProperty(field);
    expect(played.all("Loose")).toMatchObject([{ n: 1 }]);
  });

  test("is unset in the triggering entity, even if it had a value", async () => {
    const [stored] = (await emit("Optional", { reverts: true })).all("Optional");
    for (const field of fields) expect(stored).not.toHaveProperty(field);
  });

  test("is unset in a loaded entity, even if an earlier event set it", async () => {
    const played = await emit("Kept");
    expect(played.all("Held")).toMatchObject([{ small: 0, flag: false }]);
    played.endBlock();
    await emit("Kept", { reverts: true, transaction: "u", played });
    for (const field of fields) expect(played.all("Held")[0]).not.toHaveProperty(field);
  });

  test("is zero or false when the call returns that", async () => {
    expect((await emit("Optional")).all("Seen")).toMatchObject([{ small: 0, flag: false }]);
  });
});

describe("a reference in parentheses or behind a cast", () => {
  test("counts: the receipt is available, the field is nullable and the call is declared", async () => {
    const played = await emit("Hidden");
    expect(played.all("Found")).toMatchObject([{ owner: a(7), held: 5n, used: 54_321n }]);
    expect(played.declared).toEqual([{ address: a(1), signature: "balanceOf(address)", args: [a(5)] }]);
    expect(built.schema.typeOf("Found", "held")).toBe("BigInt");
  });
});

test("the compiler declares only the first of two parameters with the same name in the manifest", async () => {
  const played = await emit("Twins");
  expect(played.all("Both")).toMatchObject([{ first: 5n, second: 6n }]);
  expect(played.declared).toEqual([{ address: a(1), signature: "balanceOf(address)", args: [a(5)] }]);
  expect(built.said).toContainEqual(expect.stringMatching(/^not-declarable: call "second"/));
});
