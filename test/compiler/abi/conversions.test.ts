import { describe, expect, it } from "vitest";
import { assemblyText, assemblyType } from "../../../src/compiler/abi/assembly-type.js";
import { storedEventType, storedScalar, storedType } from "../../../src/compiler/abi/conversions.js";
import {
  type Parameter,
  parseSolidityType,
  type SolidityType,
} from "../../../src/compiler/abi/solidity-type.js";

const parameter = (type: SolidityType): Parameter => ({ name: "x", type, indexed: false });
const flat = parameter(parseSolidityType("address"));
const type = (text: string): SolidityType => parseSolidityType(text, [flat]);

/** The GraphQL type and the AssemblyScript type of its values. */
function both(text: string): string {
  const { scalar, list, assembly } = storedType(type(text));
  return `${list ? `[${scalar}!]` : scalar} ${assemblyText(assembly)}`;
}

describe("a type", () => {
  it.each([
    ["address", "String string"],
    ["bool", "Boolean boolean"],
    ["string", "String string"],
    ["bytes", "Bytes Bytes"],
    ["byte", "Bytes Bytes"],
    ["bytes1", "Bytes Bytes"],
    ["bytes32", "Bytes Bytes"],
    ["address[]", "[String!] Array<string>"],
    ["bool[2]", "[Boolean!] Array<boolean>"],
    ["string[]", "[String!] Array<string>"],
    ["bytes[3]", "[Bytes!] Array<Bytes>"],
    ["bytes4[]", "[Bytes!] Array<Bytes>"],
    ["uint8[]", "[Int!] Array<i32>"],
    ["uint256[]", "[BigInt!] Array<BigInt>"],
    ["uint[1]", "[BigInt!] Array<BigInt>"],
    ["int[]", "[BigInt!] Array<BigInt>"],
    // Anything deeper is the bytes of its encoding.
    ["address[][]", "Bytes Bytes"],
    ["uint256[2][3]", "Bytes Bytes"],
    ["uint8[][][]", "Bytes Bytes"],
    ["tuple[]", "Bytes Bytes"],
  ])("%s is stored as %s", (text, want) => {
    expect(both(text)).toBe(want);
  });

  const sizes = Array.from({ length: 32 }, (_, index) => (index + 1) * 8);
  it.each(sizes)("int%s and uint%s are stored as Int up to 32 bits, else as BigInt", (bits) => {
    expect(both(`int${bits}`)).toBe(bits <= 32 ? "Int i32" : "BigInt BigInt");
    expect(both(`uint${bits}`)).toBe(bits <= 24 ? "Int i32" : "BigInt BigInt");
  });

  it.each(["tuple", "address[]", "function", "fixed128x18"])("%s is not a scalar", (text) => {
    expect(storedScalar(type(text))).toBeUndefined();
  });
});

describe("an indexed parameter", () => {
  it.each([
    ["address", "String"],
    ["bool", "Boolean"],
    ["uint8", "Int"],
    ["uint256", "BigInt"],
    ["bytes32", "Bytes"],
    ["string", "Bytes"],
    ["bytes", "Bytes"],
    ["address[]", "Bytes"],
    ["uint8[2]", "Bytes"],
    ["tuple", "Bytes"],
    ["tuple[]", "Bytes"],
  ])("of type %s is stored as %s", (text, scalar) => {
    expect(storedEventType(type(text), true)).toMatchObject({ scalar, list: false });
    expect(storedEventType(type("address[]"), false)).toMatchObject({ scalar: "String", list: true });
  });
});

describe("a value in a mapping", () => {
  it.each([
    ["address", "Address"],
    ["bool", "boolean"],
    ["string", "string"],
    ["bytes", "Bytes"],
    ["bytes8", "Bytes"],
    ["int8", "i32"],
    ["int32", "i32"],
    ["int40", "BigInt"],
    ["uint24", "i32"],
    ["uint32", "BigInt"],
    ["address[2][]", "Array<Array<Address>>"],
    ["tuple", "OrderStruct"],
    ["tuple[]", "Array<OrderStruct>"],
  ])("of type %s is held as %s", (text, want) => {
    expect(assemblyText(assemblyType(type(text), "OrderStruct"))).toBe(want);
  });

  it("must have a type with a binding", () => {
    expect(() => assemblyType(type("function"))).toThrow("a binding was asked for the type function");
  });
});

describe("an invalid type", () => {
  it.each([
    "uint7",
    "uint0",
    "uint264",
    "uint08",
    "bytes0",
    "bytes33",
    "fixed",
    "function",
    "Foo",
    "uint256[x]",
  ])("%s is unsupported", (text) => {
    expect(parseSolidityType(text)).toEqual({ kind: "unsupported", text });
  });
});
