import { expect, it } from "vitest";
import { assemblyText } from "../../../../src/compiler/abi/assembly-type.js";
import { fieldStoredType } from "../../../../src/compiler/resolve/entities/field-type.js";

it.each([
  ["address", "string"],
  ["bool", "boolean"],
  ["string", "string"],
  ["bytes", "Bytes"],
  ["bytes32", "Bytes"],
  ["byte", "Bytes"],
  ["int8", "i32"],
  ["int32", "i32"],
  ["uint24", "i32"],
  ["uint32", "BigInt"],
  ["uint", "BigInt"],
  ["int", "BigInt"],
  ["uint256", "BigInt"],
  ["fixed", "BigDecimal"],
  ["ufixed", "BigDecimal"],
  ["fixed128x18", "BigDecimal"],
  ["ufixed8x1", "BigDecimal"],
  ["address[]", "Array<string>"],
  ["uint8[3]", "Array<i32>"],
  ["bytes4[]", "Array<Bytes>"],
  ["fixed[]", "Array<BigDecimal>"],
  ["ufixed128x18[2]", "Array<BigDecimal>"],
  ["uint256[][]", "Bytes"],
  ["fixed[][]", "Bytes"],
])("the compiler expects a value of the right type: %s takes %s", (text, assembly) => {
  const stored = fieldStoredType(text);
  expect("assembly" in stored && assemblyText(stored.assembly)).toBe(assembly);
});

it.each([
  ["BigInt", "BigInt"],
  ["BigInt!", "BigInt"],
  ["decimal", "BigDecimal"],
  ["Boolean", "boolean"],
])("the compiler understands the alias %s", (text, assembly) => {
  const stored = fieldStoredType(text);
  const meant = "meant" in stored ? stored.meant : undefined;
  expect(meant && assemblyText(meant.assembly)).toBe(assembly);
});

const none = "not an ABI type";
const struct = "a struct";

it.each([
  ["BigInt", none],
  ["number", none],
  ["Address", none],
  ["uint7", none],
  ["uint264", none],
  ["bytes33", none],
  ["function", none],
  ["fixed128", none],
  ["fixed300x90", none],
  ["uint256[", none],
  ["uint256)", none],
  ["uint256,address", none],
  ["", none],
  ["__proto__", none],
  ["(address,uint256)", struct],
  ["tuple(address a)[]", struct],
  ["()", struct],
])("the compiler refuses the type %j: %s", (text, problem) => {
  expect(fieldStoredType(text)).toMatchObject({ problem });
});

it.each([
  ["BigInt", 'write "uint256"'],
  ["(address,uint256)", "write a field for each of its members"],
  ["__proto__", "write an ABI type such as address, uint256, string, bytes32 or uint256[]"],
])("the compiler proposes a type instead of %j: %s", (text, hint) => {
  expect(fieldStoredType(text)).toMatchObject({ hint });
});
