import { AbiCoder, ParamType } from "ethers";
import { describe, expect, test } from "vitest";
import { decimalText, divided, parseDecimal, sum } from "./decimal.js";
import {
  checkedArgument,
  decodeValue,
  type EthereumValue,
  encodeValue,
  toEthereumValue,
} from "./ethereum-values.js";
import type { StoreValue } from "./rows.js";
import { bigIntBytes } from "./shadow-memory.js";
import { ShadowStore } from "./shadow-store.js";

const of = (kind: EthereumValue["kind"], value: EthereumValue["value"]): EthereumValue => ({ kind, value });

/** The value that the host passes to a mapping for a value of this type. */
function decoded(type: string, value: unknown): EthereumValue {
  const coder = AbiCoder.defaultAbiCoder();
  const parsed = ParamType.from(type);
  return toEthereumValue(parsed, coder.decode([parsed], coder.encode([parsed], [value]))[0]);
}

describe("the shadow host rejects an invalid argument", () => {
  const one = of("UINT", 1n);
  const cases: readonly (readonly [string, EthereumValue])[] = [
    ["uint8[]", of("ARRAY", [of("INT", 1n)])],
    ["uint256[2]", of("ARRAY", [one, one])],
    ["uint256[]", of("FIXED_ARRAY", [one])],
    ["uint256[2]", of("FIXED_ARRAY", [one])],
    ["tuple(uint256 x)", of("ARRAY", [one])],
    ["tuple(uint256 x)", of("TUPLE", [one, one])],
    ["int256", one],
    ["uint8", of("UINT", 256n)],
    ["uint8", of("UINT", -1n)],
    ["int8", of("INT", 128n)],
    ["bytes", of("FIXED_BYTES", "0x01")],
    ["bytes2", of("FIXED_BYTES", "0x010203")],
    ["address", of("BYTES", `0x${"00".repeat(20)}`)],
    ["string", of("BYTES", "0x")],
    ["bool", one],
  ];
  test.each(cases)("for %s: %o", (type, value) => {
    expect(() => checkedArgument(ParamType.from(type), value, "argument")).toThrow();
  });
});

test("the shadow host pads short fixed bytes", () => {
  expect(checkedArgument(ParamType.from("bytes4"), of("FIXED_BYTES", "0x01"), "argument")).toBe("0x01000000");
});

describe("the shadow host's ABI encoding and decoding agree with ethers for", () => {
  test.each([
    ["uint8", 5n],
    ["int256", -1n],
    ["bytes3", "0x010203"],
    ["string", "x".repeat(40)],
    ["bytes", "0x"],
    ["uint256[]", []],
    ["uint8[][2]", [[1n], [2n, 3n]]],
    ["tuple(uint256 x, tuple(string s, bool[2] f)[] ys, bytes b)", [1n, [["s", [true, false]]], "0x0102"]],
    [
      "tuple(uint256 x, address y)[2]",
      [
        [1n, `0x${"11".repeat(20)}`],
        [2n, `0x${"22".repeat(20)}`],
      ],
    ],
  ])("%s", (type, value) => {
    const data = AbiCoder.defaultAbiCoder().encode([type], [value]);
    expect(encodeValue(decoded(type, value))).toBe(data);
    expect(decodeValue(type, data)).toEqual(decoded(type, value));
  });
});

describe("the shadow store", () => {
  const schema = `type Pool @entity(immutable: false) {
    id: ID!  size: BigInt!  name: String  tags: [String!]!  count: Int  swaps: [Swap!]! @derivedFrom(field: "pool")
  }
  type Swap @entity(immutable: true) { id: ID!  pool: Pool! }`;
  const size = { kind: "BigInt", value: 1n } as const;
  const tags = { kind: "Array", value: [] } as const;
  const row = (fields: Record<string, StoreValue>) => new Map(Object.entries(fields));
  const text = (value: string): StoreValue => ({ kind: "String", value });

  test.each<readonly [string, Record<string, StoreValue>]>([
    ["undefined fields", { size, tags, other: size }],
    ["missing value", { size }],
    ["missing value", { size: { kind: "Null", value: null }, tags }],
    ["must have type", { size: { kind: "Int", value: 1 }, tags }],
    ["must have type", { size, tags: text("x") }],
    ["must have type", { size, tags: { kind: "Array", value: [size] } }],
    ["must have type", { size: tags, tags }],
    ["is derived", { size, tags, swaps: tags }],
    ["conflicts", { size, tags, id: text("b") }],
  ])("reports: %s", (message, fields) => {
    expect(() => new ShadowStore(schema).set("Pool", "a", row(fields))).toThrow(message);
  });

  test("merges writes, drops nulls, lists the changes of a block, and protects immutable entities", () => {
    const store = new ShadowStore(schema);
    store.set("Pool", "a", row({ size, tags, name: text("x") }));
    store.endBlock();
    expect(store.getInBlock("Pool", "a")).toBeUndefined();
    store.set("Pool", "a", row({ name: { kind: "Null", value: null }, count: { kind: "Int", value: 2 } }));
    store.set("Swap", "s", row({ pool: text("a") }));
    expect(store.related("Pool", "a", "swaps")).toHaveLength(1);
    expect(store.endBlock()).toEqual([
      { type: "Pool", id: "a", row: row({ count: { kind: "Int", value: 2 }, id: text("a"), size, tags }) },
      { type: "Swap", id: "s", row: row({ id: text("s"), pool: text("a") }) },
    ]);
    store.set("Pool", "a", row({ size }));
    expect(store.endBlock()).toEqual([]);
    store.set("Swap", "s", row({ pool: text("b") }));
    expect(() => store.endBlock()).toThrow("immutable");
  });
});

test("the shadow host computes numbers as graph-node does", () => {
  const cases = [0n, 1n, -1n, 127n, 128n, -128n, -129n, 255n, 256n];
  const bytes = ["00", "01", "ff", "7f", "8000", "80", "7fff", "ff00", "0001"];
  expect(cases.map((value) => Buffer.from(bigIntBytes(value)).toString("hex"))).toEqual(bytes);
  const third = divided(parseDecimal("2"), parseDecimal("3"));
  expect(decimalText(third)).toBe("0.6666666666666666666666666666666667");
  expect(decimalText(parseDecimal("1e30"))).toBe(`1${"0".repeat(30)}`);
  expect(decimalText(sum(parseDecimal("-1.50"), parseDecimal(".25")))).toBe("-1.25");
});
