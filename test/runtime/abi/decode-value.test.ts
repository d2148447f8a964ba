import { AbiCoder } from "ethers/abi";
import { expect, it } from "vitest";
import { decodeParameters, decodeValue } from "../../../src/runtime/abi/encode-value.js";

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
  "()[4294967296]",
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
])("the decoder takes the spaces in the type %j, as graph-node 0.45 does", (type) => {
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
