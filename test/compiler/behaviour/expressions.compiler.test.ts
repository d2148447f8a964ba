import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

const abi = [
  "event Text(uint256 amount)",
  "event Named(uint256 amount)",
  "event Struct(tuple(address maker, uint8 kind)[] items, tuple(address owner, uint256 x) pair)",
  "event Words(address default, address class, address in, address entity)",
  "event Deposit(uint256 amount)",
  "event Close(uint256 amount)",
  "event Guarded(uint256 amount)",
  "function sum(uint256 x, uint256 y) view returns (uint256)",
  "function balanceOf(address who) view returns (uint256)",
];

/** Strings that have a meaning in templates, replacements and comments. */
const texts: Readonly<Record<string, readonly [expression: string, value: string]>> = {
  braces: ['"{{amount}} {{{x}}} {}"', "{{amount}} {{{x}}} {}"],
  dollars: ['"$& $1 $$ $`"', "$& $1 $$ $`"],
  quotes: ['"\\"" + \'\\\'"\' + "\\\\"', '"\'"\\'],
  html: ['"<b>&amp;</b>"', "<b>&amp;</b>"],
  unicode: ['"ä\u{1f984}\\u00e9"', "ä\u{1f984}é"],
  slashes: ['"// no comment /* none */"', "// no comment /* none */"],
  lines: ['"a" +\n  "b"', "ab"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: AssemblyScript fills it in
  template: ["`a${event.params.amount.toString()}b`", "a5b"],
  branch: ['event.params.amount.gt(BigInt.fromI32(4)) ? "big" : "small"', "big"],
  grouped: ['("x")', "x"],
};

const named = ["Event", "Calls", "Contract", "Result", "Vault", "Holder1", "NFTHolder"];

let built: BuiltScenario;
beforeAll(async () => {
  const fields = Object.entries(texts).map(([name, [expression]]) => [`${name} string`, expression]);
  built = await buildScenario({
    abis: { Vault: abi },
    instances: [
      instance("Vault", a(1), {
        Text: {
          calls: {
            spaced: { name: "sum", params: " event.params.amount ,\n BigInt.fromString('1') " },
            nested: {
              name: "sum",
              params: "event.params.amount.plus(BigInt.fromI32(2)), [BigInt.zero(), BigInt.fromI32(9)][1]",
            },
          },
          entities: { Notes: Object.fromEntries(fields) },
        },
        Named: {
          entities: Object.fromEntries(named.map((name) => [name, { "v uint256": "event.params.amount" }])),
        },
        Struct: {
          calls: {
            held: { name: "balanceOf", params: "event.params.pair.owner", declared: true },
            first: { name: "balanceOf", params: "event.params.items[0].maker" },
          },
          entities: {
            Read: {
              "count int32": "event.params.items.length",
              "kind uint8": "event.params.items[1].kind",
              "owner address": "event.params.pair.owner.toHexString()",
              "held uint256": "calls.held",
            },
          },
        },
        Words: {
          calls: { held: { name: "balanceOf", params: "event.params.default_", declared: true } },
          entities: {
            Marked: { "a address": "event.params.class_.toHexString()", "b uint256": "calls.held" },
          },
        },
        Close: {
          entities: {
            Deposit: [
              {
                id: 'event.transaction.hash.toHexString() + "-" + event.params.amount.toString()',
                explicit_id: true,
                mapping: { "closed bool": "true" },
              },
            ],
          },
        },
        Guarded: {
          calls: {
            sum: {
              name: "sum",
              params: "event.params.amount, event.params.amount",
              conditions: { pre: "event.receipt !== null && event.receipt!.status.toI32() == 1" },
            },
          },
          entities: { Guard: { "sum uint256": "calls.sum" } },
        },
      }),
    ],
  });
});

const place = { transaction: id("t"), logIndex: 3 };

async function emit(event: string, values: readonly unknown[]) {
  const played = built.play();
  played.contracts = () => [6n];
  await played.emit(abi, a(1), event, values, place);
  return played;
}

test("string literals in expressions are stored exactly as written", async () => {
  const expected = Object.entries(texts).map(([name, [, value]]) => [name, value]);
  expect((await emit("Text", [5n])).all("Notes")).toMatchObject([Object.fromEntries(expected)]);
});

test("only top-level commas separate parameters", async () => {
  expect((await emit("Text", [5n])).calls.map(({ args }) => args)).toEqual([
    [5n, 1n],
    [7n, 9n],
  ]);
});

test.each(named)("an entity may be named %s", async (name) => {
  const stored = [name, `${name}Entity`].filter((type) => built.schema.typeOf(type, "v"));
  expect(stored).toHaveLength(1);
  expect((await emit("Named", [5n])).all(stored[0] ?? name)).toEqual([
    { id: `${id("t")}-3`, named: `${id("t")}-3`, v: 5n },
  ]);
});

test("expressions can read, pass and declare structs and lists of the event", async () => {
  const played = await emit("Struct", [
    [
      [a(7), 1n],
      [a(8), 255n],
    ],
    [a(9), 4n],
  ]);
  expect(played.all("Read")).toMatchObject([{ count: 2, kind: 255, owner: a(9), held: 6n }]);
  expect(played.calls.map(({ args }) => args)).toEqual([[a(9)], [a(7)]]);
  expect(played.declared).toEqual([{ address: a(1), signature: "balanceOf(address)", args: [a(9)] }]);
});

test("parameters may have the names of keywords", async () => {
  const played = await emit("Words", [a(5), a(6), a(7), a(8)]);
  expect(played.all("Marked")).toMatchObject([{ a: a(6), b: 6n }]);
  expect(played.calls).toEqual(played.declared);
  expect(Object.values(played.all("Words")[0] ?? {})).toEqual(
    expect.arrayContaining([a(5), a(6), a(7), a(8)]),
  );
});

test("a condition can read the receipt", async () => {
  expect((await emit("Guarded", [5n])).all("Guard")).toMatchObject([{ sum: 6n }]);
});

describe("a different event's entity that is loaded by its id", () => {
  const deposit = { amount: 5n, block_number: 100n, timestamp_: 1_600_001_200n, transactionHash_: id("t") };

  test("gets the field, and keeps the values that its event stored", async () => {
    const played = await emit("Deposit", [5n]);
    played.endBlock();
    await played.emit(abi, a(1), "Close", [3n], { ...place, logIndex: 9 });
    played.endBlock();
    expect(played.all("Deposit")).toMatchObject([{ ...deposit, id: `${id("t")}-3`, closed: true }]);
  });
});
