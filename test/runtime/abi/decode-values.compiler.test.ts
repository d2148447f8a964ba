import { AbiCoder, ParamType } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { dataDecoder } from "../../../src/runtime/abi/decode-data.js";
import { decodeValues } from "../../../src/runtime/abi/decode-values.js";
import { toAbiValue } from "../../../src/runtime/abi/to-abi-value.js";
import { DeterministicError } from "../../../src/runtime/errors.js";
import type { EthereumValue } from "../../../src/runtime/values.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import { address, ask, bytes, compileProbe, filled, int, text, uint } from "../wasm/probe.js";

let mapping: Mapping;
beforeAll(async () => {
  mapping = await compileProbe();
});

const coder = AbiCoder.defaultAbiCoder();
const list = (kind: "array" | "fixedArray" | "tuple", ...value: readonly EthereumValue[]): EthereumValue => ({
  kind,
  value,
});
const fixed = (value: string): EthereumValue => ({ kind: "fixedBytes", value });

const cases: readonly (readonly [string, unknown, EthereumValue])[] = [
  ["uint8", 5n, uint(5)],
  ["uint256", 2n ** 256n - 1n, uint(2n ** 256n - 1n)],
  ["int256", -1n, int(-1)],
  ["int24", -8388608n, int(-8388608)],
  ["bytes3", "0x010203", fixed("0x010203")],
  ["bytes32", filled(7), fixed(filled(7))],
  ["address", filled(0xab, 20), address(filled(0xab, 20))],
  ["bool", true, { kind: "bool", value: true }],
  ["string", "ä".repeat(40), text("ä".repeat(40))],
  ["string", "0x12", text("0x12")],
  ["bytes", "0x", bytes("0x")],
  ["bytes", filled(1, 33), bytes(filled(1, 33))],
  ["uint256[]", [], list("array")],
  ["address[]", [filled(1, 20)], list("array", address(filled(1, 20)))],
  [
    "uint8[][2]",
    [[1n], [2n, 3n]],
    list("fixedArray", list("array", uint(1)), list("array", uint(2), uint(3))),
  ],
  [
    "tuple(uint256 x, tuple(string s, bool[2] f)[] ys, bytes b)",
    [1n, [["s", [true, false]]], "0x0102"],
    list(
      "tuple",
      uint(1),
      list(
        "array",
        list(
          "tuple",
          text("s"),
          list("fixedArray", { kind: "bool", value: true }, { kind: "bool", value: false }),
        ),
      ),
      bytes("0x0102"),
    ),
  ],
  [
    "tuple(int8 x, address y)[2]",
    [
      [1n, filled(1, 20)],
      [-2n, filled(2, 20)],
    ],
    list(
      "fixedArray",
      list("tuple", int(1), address(filled(1, 20))),
      list("tuple", int(-2), address(filled(2, 20))),
    ),
  ],
];

describe.each(cases)("a value of %s", (type, plain, value) => {
  const parsed = ParamType.from(type);
  const data = coder.encode([parsed], [plain]);

  test("is decoded on its own and in the data of a log", () => {
    expect(dataDecoder([parsed])(data, 2)).toEqual([value]);
    expect(decodeValues([parsed], data)).toEqual([value]);
  });

  test("is accepted as an argument of a call", () => {
    expect(coder.encode([parsed], [toAbiValue(parsed, value)])).toBe(data);
  });

  test("is passed to a mapping, encoded there and decoded again", () => {
    expect(ask(mapping, "encode", text(parsed.format("sighash")), value)).toEqual([data, data]);
    expect(ask(mapping, "decode", text(parsed.format("sighash")), bytes(data))).toEqual([data]);
  });
});

test("the decoder decodes a string that is not UTF-8 with replacement characters", () => {
  const type = ParamType.from("tuple(string[] names)");
  const data = coder.encode(["tuple(bytes[] names)"], [[["0x61ff62"]]]);
  expect(decodeValues([type], data)).toEqual([list("tuple", list("array", text("a\ufffdb")))]);
});

test("an integer that exceeds its type reaches a mapping whole, and is not an i32", () => {
  const word = coder.encode(["uint256"], [300n]);
  const wide = coder.encode(["uint256"], [2n ** 32n]);
  const [small] = dataDecoder([ParamType.from("uint8")])(word, 2) ?? [];
  const [large] = dataDecoder([ParamType.from("uint8")])(wide, 2) ?? [];
  expect(small && ask(mapping, "narrow", small)).toEqual(["300"]);
  expect(() => large && ask(mapping, "narrow", large)).toThrow(DeterministicError);
  expect(ask(mapping, "decode", text("uint8"), bytes(word))).toEqual([word]);
  expect(ask(mapping, "decode", text("(int8,uint8[])"), bytes(dirtyStruct))).toEqual([dirtyStruct]);
});

/** `(128, [300])` as a struct of `int8` and `uint8[]`. */
const dirtyStruct = coder.encode(["tuple(int256,uint256[])"], [[128n, [300n]]]);

test("the decoder decodes no missing data, and encodes no value without a type", () => {
  expect(ask(mapping, "decode", text("uint256"), bytes("0x01"))).toEqual(["null"]);
  expect(ask(mapping, "decode", text("no type"), bytes(filled(1)))).toEqual(["null"]);
  expect(ask(mapping, "encode", text("bytes"), fixed(filled(1, 33)))).toEqual(["null"]);
});

describe("a mapping cannot pass", () => {
  test.each<readonly [EthereumValue, string]>([
    [uint(2n ** 256n), `BigInt value \`${2n ** 256n}\` does not fit into uint256`],
    [uint(-1), "BigInt value is negative, cannot convert to unsigned U256: -1"],
    [int(2n ** 255n), `BigInt value \`${2n ** 255n}\` does not fit into int256`],
    [address("0x0102"), "an address must have 20 bytes"],
  ])("%o", (value, message) => {
    const passed = (): unknown => ask(mapping, "encode", text("uint256"), value);
    expect(passed).toThrow(DeterministicError);
    expect(passed).toThrow(message);
  });
});

test("a mapping can nest values only to a limited depth", () => {
  const nested = (depth: number): EthereumValue => (depth === 0 ? uint(1) : list("tuple", nested(depth - 1)));
  const encoded = coder.encode(["uint256"], [1]);
  expect(ask(mapping, "encode", text("uint256"), nested(120))).toEqual([encoded, encoded]);
  expect(() => ask(mapping, "encode", text("uint256"), nested(130))).toThrow(
    "nested more than 128 levels deep",
  );
});

describe("an argument is refused", () => {
  const one = uint(1);
  test.each<readonly [string, EthereumValue, string]>([
    ["uint8[]", list("array", int(1)), "type mismatch, token Int(1) is not of kind uint8"],
    ["uint256[2]", list("array", one, one), "token Array([Uint(1), Uint(1)]) is not of kind uint256[2]"],
    ["uint256[]", list("fixedArray", one), "is not of kind uint256[]"],
    ["uint256[2]", list("fixedArray", one), "is not of kind uint256[2]"],
    ["tuple(uint256 x)", list("array", one), "token Array([Uint(1)]) is not of kind"],
    ["tuple(uint256 x)", list("tuple", one, one), "is not of kind"],
    ["int256", one, "token Uint(1) is not of kind int256"],
    ["uint8", uint(256), "256 does not fit into uint8"],
    ["uint8", uint(-1), "-1 does not fit into uint8"],
    ["int8", int(128), "128 does not fit into int8"],
    ["bytes", fixed("0x01"), "token FixedBytes(0x01) is not of kind bytes"],
    ["bytes2", fixed("0x010203"), "is not of kind bytes2"],
    ["address", bytes(filled(0, 20)), "is not of kind address"],
    ["string", bytes("0x"), "token Bytes(0x) is not of kind string"],
    ["bool", one, "is not of kind bool"],
  ])("for %s: %o", (type, value, message) => {
    const refused = (): unknown => toAbiValue(ParamType.from(type), value);
    expect(refused).toThrow(DeterministicError);
    expect(refused).toThrow(message);
  });

  test("an argument may have shorter fixed bytes than its type", () => {
    expect(toAbiValue(ParamType.from("bytes4"), fixed("0x01"))).toBe("0x01000000");
  });
});
