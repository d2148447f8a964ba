import { AbiCoder } from "ethers/abi";
import { expect, it } from "vitest";
import { decodeParameters, decodeValue, encodeValue } from "../../../src/runtime/abi/encode-value.js";

it("the decoder decodes bytes and strings whose last word is not padded, as graph-node 0.45 does", () => {
  const cut = (data: string): string => data.replace(/(?:00)+$/, "");
  const coder = AbiCoder.defaultAbiCoder();
  const text = { kind: "string", value: "Safe" } as const;
  expect(decodeValue("string", cut(coder.encode(["string"], ["Safe"])))).toEqual(text);
  expect(decodeParameters("string", cut(coder.encode(["string"], ["Safe"])))).toEqual(text);
  const parameters = cut(coder.encode(["uint8", "bytes"], [3, "0xabcd"]));
  expect(decodeParameters("(uint8,bytes)", parameters)).toEqual({
    kind: "tuple",
    value: [
      { kind: "uint", value: 3n },
      { kind: "bytes", value: "0xabcd" },
    ],
  });
  expect(decodeParameters("(uint8,bytes)", parameters.slice(0, -2))).toBeUndefined();
});

it.each([
  "bool[4294967296]",
  "bool[4294967296][]",
  "(uint8,(bool[65536])[65536])",
  "uint256[99999999999999999999]",
])("the decoder rejects %s at once, which declares more items than fit into the data", (type) => {
  const data = AbiCoder.defaultAbiCoder().encode(["uint256[]"], [[1, 2, 3]]);
  expect(decodeValue(type, data)).toBeUndefined();
  expect(decodeParameters(type, data)).toBeUndefined();
});

it("the decoder decodes long lists of fixed length that the data has", () => {
  const items = Array.from({ length: 2_000 }, (_, index) => index);
  const data = AbiCoder.defaultAbiCoder().encode(["uint256[2000]"], [items]);
  const value = decodeValue("uint256[2000]", data);
  expect(value?.kind === "fixedArray" && value.value.length).toBe(2_000);
  const empty = AbiCoder.defaultAbiCoder().encode(["uint256[2000][]"], [[]]);
  expect(decodeValue("uint256[2000][]", empty)).toEqual({ kind: "array", value: [] });
});

it.each([
  "uint256 a",
  "address payable",
  "string memory",
  " uint256",
  "(uint256)\t",
  "(uint256 ,bool)",
  "(uint256,\nbool)",
  "tuple (uint256)",
  "uint256[ 2 ]",
  "(uint256,bool) [1]",
  "bool[",
  "uint256[0]",
])("the decoder refuses the type %j, as graph-node 0.45 does", (type) => {
  const data = `0x${"00".repeat(31)}01`.padEnd(2 + 64 * 4, "0");
  expect(decodeValue(type, data)).toBeUndefined();
  expect(decodeParameters(type, data)).toBeUndefined();
});

it.each([
  "(uint256, bool)",
  "( uint256,bool)",
  "(uint256,bool )",
  "(uint256,  \tbool, )",
  "tuple(uint256, bool)",
])("the decoder accepts the spaces in the type %j, as graph-node 0.45 does", (type) => {
  const data = AbiCoder.defaultAbiCoder().encode(["uint256", "bool"], [5, true]);
  const value = [
    { kind: "uint", value: 5n },
    { kind: "bool", value: true },
  ];
  expect(decodeValue(type, data)).toEqual({ kind: "tuple", value });
  expect(decodeParameters(type, data)).toEqual({ kind: "tuple", value });
  expect(decodeValue(`((uint256[1] ), ${type}[1])`, `${data}${data.slice(66)}`)).toBeDefined();
});

it("the decoder refuses a type of a million spaces or digits at once", () => {
  for (const part of [" ", "1"]) expect(decodeValue(`(bool[${part.repeat(1_000_000)}`, "0x")).toBeUndefined();
});

/** The data of a number in lists of one item. */
const nested = (levels: number): string =>
  `0x${`${"20".padStart(64, "0")}${"1".padStart(64, "0")}`.repeat(levels)}${"5".padStart(64, "0")}`;

it("types of the kind function are decoded to their own kind and encoded again, as graph-node 0.45 does", () => {
  const words = `${"ab".repeat(32)}${"2".padStart(64, "0")}`;
  const value = { kind: "function", value: `0x${"ab".repeat(24)}` } as const;
  expect(decodeValue("function", `0x${words}`)).toEqual(value);
  expect(decodeValue("bytes24", `0x${words}`)).toEqual({ ...value, kind: "fixedBytes" });
  const zeros = { kind: "function", value: `0x${"00".repeat(24)}` };
  expect(decodeParameters("function[2]", `0x${words}`)).toEqual({
    kind: "fixedArray",
    value: [value, zeros],
  });
  const pair = decodeParameters("(function,bool)", `0x${words}`);
  expect(pair).toEqual({ kind: "tuple", value: [value, { kind: "bool", value: true }] });
  expect(encodeValue(value)).toBe(`0x${"ab".repeat(24)}${"00".repeat(8)}`);
  for (const type of ["functions", "function1", "function(uint256)", "(function)function"])
    expect(decodeValue(type, `0x${words}`)).toBeUndefined();
});

it("types without data are decoded to no items, as graph-node 0.45 does", () => {
  const empty = { tuple: ["()", "(())", "(()[])"], array: ["()[]"], fixedArray: ["()[3]", "()[4294967296]"] };
  for (const [kind, types] of Object.entries(empty))
    for (const type of types)
      for (const decode of [decodeValue, decodeParameters])
        expect(decode(type, "0x")).toEqual({ kind, value: [] });
});

it("values that are nested too deep are refused, as graph-node 0.45 does", () => {
  const isDecoded = (type: string, data: string): readonly boolean[] =>
    [decodeValue, decodeParameters].map((decode) => decode(type, data) !== undefined);
  const tuples = (levels: number, type: string): string =>
    `${"(".repeat(levels)}${type}${")".repeat(levels)}`;
  const one = `0x${"1".padStart(64, "0")}`;
  expect(isDecoded(tuples(16, "uint256"), one)).toEqual([true, true]);
  expect(isDecoded(tuples(17, "uint256"), one)).toEqual([false, true]);
  expect(isDecoded(tuples(18, "uint256"), one)).toEqual([false, false]);
  expect(isDecoded(`uint256${"[1]".repeat(16)}`, one)).toEqual([true, true]);
  expect(isDecoded(`uint256${"[1]".repeat(17)}`, one)).toEqual([false, false]);
  expect(isDecoded(`uint256${"[]".repeat(8)}`, nested(8))).toEqual([true, true]);
  expect(isDecoded(`uint256${"[]".repeat(9)}`, nested(9))).toEqual([false, false]);
  // A list without items ends the nesting.
  expect(isDecoded(`uint256${"[]".repeat(40)}`, `0x${"20".padStart(64, "0")}${"0".repeat(64)}`)).toEqual([
    true,
    true,
  ]);
  const texts = `0x${"20".padStart(64, "0").repeat(16)}${"".padStart(64, "0")}`;
  expect(isDecoded(tuples(15, "string"), texts)).toEqual([true, true]);
  expect(isDecoded(tuples(16, "string"), `0x${"20".padStart(64, "0")}${texts.slice(2)}`)).toEqual([
    false,
    true,
  ]);
});
