import { AbiCoder, id, keccak256, ParamType } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { topicOf } from "../../support/wasm-trigger.js";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

type Row = readonly [solidity: string, given: unknown, graphql: string, stored: unknown];

const bits = (size: number): bigint => 2n ** BigInt(size);
const hash = id("anything");
const encoded = (type: string, value: unknown): string => AbiCoder.defaultAbiCoder().encode([type], [value]);

const deep = (type: string, value: unknown): Row => [type, value, "Bytes!", encoded(type, value)];

const indexed = (type: string, value: unknown): Row => {
  return [`${type} indexed`, value, "Bytes!", topicOf(ParamType.from(type), value)];
};

/** The type table of the configuration's section 3, one event each. */
const rows: readonly Row[] = [
  [
    "address",
    "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    "String!",
    "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  ],
  ["bool", true, "Boolean!", true],
  ["bool", false, "Boolean!", false],
  ["string", 'Zoë \u{1f984} "\\\n', "String!", 'Zoë \u{1f984} "\\\n'],
  ["string", "", "String!", ""],
  ["bytes", "0x", "Bytes!", "0x"],
  ["bytes", `0x${"ab".repeat(100)}`, "Bytes!", `0x${"ab".repeat(100)}`],
  ["bytes1", "0xff", "Bytes!", "0xff"],
  ["bytes4", "0x00010200", "Bytes!", "0x00010200"],
  ["bytes20", a(5), "Bytes!", a(5)],
  ["bytes32", hash, "Bytes!", hash],
  ...[8, 16, 24, 32].flatMap((size): Row[] => [
    [`int${size}`, -bits(size - 1), "Int!", -(2 ** (size - 1))],
    [`int${size}`, bits(size - 1) - 1n, "Int!", 2 ** (size - 1) - 1],
    [`int${size}`, -1n, "Int!", -1],
  ]),
  ...[8, 16, 24].flatMap((size): Row[] => [
    [`uint${size}`, bits(size) - 1n, "Int!", 2 ** size - 1],
    [`uint${size}`, 0n, "Int!", 0],
  ]),
  ...[40, 64, 128, 256].flatMap((size): Row[] => [
    [`int${size}`, -bits(size - 1), "BigInt!", -bits(size - 1)],
    [`int${size}`, bits(size - 1) - 1n, "BigInt!", bits(size - 1) - 1n],
  ]),
  ...[32, 40, 64, 160, 256].flatMap((size): Row[] => [
    [`uint${size}`, bits(size) - 1n, "BigInt!", bits(size) - 1n],
    [`uint${size}`, 0n, "BigInt!", 0n],
  ]),
  ["address[]", [a(1), a(2)], "[String!]!", [a(1), a(2)]],
  ["address[]", [], "[String!]!", []],
  ["address[2]", [a(1), a(2)], "[String!]!", [a(1), a(2)]],
  ["bool[]", [true, false], "[Boolean!]!", [true, false]],
  ["string[2]", ["x", ""], "[String!]!", ["x", ""]],
  ["bytes[]", ["0x", "0x0102"], "[Bytes!]!", ["0x", "0x0102"]],
  ["bytes3[2]", ["0x010203", "0x000000"], "[Bytes!]!", ["0x010203", "0x000000"]],
  ["uint8[]", [0n, 255n], "[Int!]!", [0, 255]],
  ["int32[3]", [-1n, 0n, bits(31) - 1n], "[Int!]!", [-1, 0, 2 ** 31 - 1]],
  ["uint32[]", [bits(32) - 1n], "[BigInt!]!", [bits(32) - 1n]],
  ["int256[2]", [-bits(255), bits(255) - 1n], "[BigInt!]!", [-bits(255), bits(255) - 1n]],
  deep("uint8[][]", [[1n, 2n], [], [255n]]),
  deep("uint256[2][]", [[1n, bits(256) - 1n]]),
  deep("int24[][2]", [[-1n], [5n]]),
  deep("string[][]", [["x", "yy"], []]),
  deep("bytes4[2][2]", [
    ["0x00000001", "0x00000002"],
    ["0x00000003", "0x00000004"],
  ]),
  deep("tuple(uint8[] list, bytes data)[]", [[[1n, 2n], "0x05"]]),
  deep("tuple(uint256 x, tuple(bool[] flags) y)[2]", [
    [1n, [[true]]],
    [2n, [[]]],
  ]),
  deep("tuple(uint256 x)[][]", [[[1n], [2n]], []]),
  ["address indexed", a(9), "String!", a(9)],
  ["int24 indexed", -887272n, "Int!", -887272],
  ["uint256 indexed", bits(256) - 1n, "BigInt!", bits(256) - 1n],
  ["bool indexed", true, "Boolean!", true],
  ["bytes4 indexed", "0x01020304", "Bytes!", "0x01020304"],
  ["bytes32 indexed", hash, "Bytes!", hash],
  ["string indexed", "hello", "Bytes!", id("hello")],
  ["bytes indexed", "0x0102", "Bytes!", keccak256("0x0102")],
  indexed("uint256[]", [1n, 2n]),
  indexed("address[]", [a(1)]),
  indexed("address[2]", [a(1), a(2)]),
  indexed("uint8[2]", [1n, 2n]),
];

const structs = [
  "event Order(tuple(address maker, tuple(uint8 kind, string note) terms, uint256[] ids, uint8[][] grid) order)",
  "event Batch(tuple(address to, uint8 kind, uint64 amount, bytes32 key, bool open, string note)[] items, uint256 x)",
  "event Nested(tuple(uint256 total, tuple(address to, uint256 amount)[] parts) payout)",
  "event Pairs(tuple(tuple(uint256 x, address y) left, int8 z)[2] pairs)",
  "event Bare(tuple(address, tuple(uint8, string)))",
  "event Unnamed(address indexed, uint256, uint256[] list)",
  "event Cube(address[][][] value)",
  "event Marked(tuple(uint256 x, uint256 y) indexed point)",
];
const abi = [...rows.map(([solidity], i) => `event Case${i}(${solidity} value)`), ...structs];

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({ abis: { Types: abi }, instances: [instance("Types", a(1))] });
});

/** The one entity an event gives, without the base fields. */
function stored(event: string, values: readonly unknown[]): Record<string, unknown> {
  const host = built.host();
  host.emit(abi, a(1), event, values);
  const base = ["id", "block_number", "timestamp_", "transactionHash_", "contractId_"];
  const fields = Object.entries(host.all(event)[0] ?? {}).filter(([name]) => !base.includes(name));
  return Object.fromEntries(fields);
}

describe("a parameter of type", () => {
  test.each(rows.map((row, i) => [row[0], row[1], i] as const))("%s holding %s", (_, given, i) => {
    const [, , graphql, expected] = rows[i] as Row;
    expect(built.host().store.typeOf(`Case${i}`, "value")).toBe(graphql);
    expect(stored(`Case${i}`, [given])).toEqual({ value: expected });
  });
});

describe("a struct", () => {
  test("is flattened to any depth", () => {
    const given = [a(1), [3n, "note"], [1n, 2n], [[1n], [2n]]];
    expect(stored("Order", [given])).toEqual({
      order_maker: a(1),
      order_terms_kind: 3,
      order_terms_note: "note",
      order_ids: [1n, 2n],
      order_grid: encoded("uint8[][]", [[1n], [2n]]),
    });
  });

  test("in a list of scalars-only structs is one list per component", () => {
    const items = [
      [a(1), 1n, 10n, hash, true, "one"],
      [a(2), 255n, 20n, id("b"), false, ""],
    ];
    expect(stored("Batch", [items, 5n])).toEqual({
      items_to: [a(1), a(2)],
      items_kind: [1, 255],
      items_amount: [10n, 20n],
      items_key: [hash, id("b")],
      items_open: [true, false],
      items_note: ["one", ""],
      x: 5n,
    });
    expect(stored("Batch", [[], 5n])).toMatchObject({ items_to: [], items_note: [], items_open: [] });
    expect(built.host().store.typeOf("Batch", "items_kind")).toBe("[Int!]!");
  });

  test("holding a list of structs is flattened, and the list is columns", () => {
    expect(
      stored("Nested", [
        [
          9n,
          [
            [a(1), 4n],
            [a(2), 5n],
          ],
        ],
      ]),
    ).toEqual({
      payout_total: 9n,
      payout_parts_to: [a(1), a(2)],
      payout_parts_amount: [4n, 5n],
    });
  });

  test("in a fixed list of structs of structs is columns of the innermost", () => {
    expect(
      stored("Pairs", [
        [
          [[1n, a(1)], -1n],
          [[2n, a(2)], 127n],
        ],
      ]),
    ).toEqual({
      pairs_left_x: [1n, 2n],
      pairs_left_y: [a(1), a(2)],
      pairs_z: [-1, 127],
    });
  });

  test("without names of its own is named by position", () => {
    expect(stored("Bare", [[a(1), [2n, "x"]]])).toEqual({
      param0_value0: a(1),
      param0_value1_value0: 2,
      param0_value1_value1: "x",
    });
  });

  test("that is indexed makes graph-node skip the event, with a warning", () => {
    expect(built.said.join("\n")).toMatch(/Marked/);
    expect(() => built.host().all("Marked")).toThrow("no entity type");
  });
});

test("an event with three dimensions is skipped with a warning, because the peer's bindings end at two", () => {
  expect(built.said).toContainEqual(
    expect.stringMatching(/^event-skipped: .*Cube.*more than two dimensions/),
  );
  expect(() => built.host().all("Cube")).toThrow("no entity type");
});

test("parameters without names are numbered by position", () => {
  expect(stored("Unnamed", [a(1), 2n, [3n]])).toEqual({ param0: a(1), param1: 2n, list: [3n] });
});
