import { ParamType } from "ethers";
import { expect, test } from "vitest";
import { fieldAsArgument } from "../../../src/runtime/abi/field-as-argument.js";
import { DeterministicError } from "../../../src/runtime/errors.js";
import type { StoreValue } from "../../../src/subgraph/schema/entity.js";

const address = `0x${"ab".repeat(20)}`;
const bytes = (value: string): StoreValue => ({ kind: "Bytes", value });
const big = (value: bigint): StoreValue => ({ kind: "BigInt", value });
const int: StoreValue = { kind: "Int", value: -3 };
const int8: StoreValue = { kind: "Int8", value: 3n };
const text: StoreValue = { kind: "String", value: "a" };
const list = (...value: readonly StoreValue[]): StoreValue => ({ kind: "Array", value });

test.each<[string, StoreValue, object]>([
  ["address", bytes(address), { kind: "address", value: address }],
  ["bytes", bytes("0x01"), { kind: "bytes", value: "0x01" }],
  ["bytes2", bytes("0x0102"), { kind: "fixedBytes", value: "0x0102" }],
  ["string", text, { kind: "string", value: "a" }],
  ["bool", { kind: "Bool", value: true }, { kind: "bool", value: true }],
  ["int256", int, { kind: "int", value: -3n }],
  ["int64", int8, { kind: "int", value: 3n }],
  ["uint256", big(7n), { kind: "uint", value: 7n }],
  ["uint8", { kind: "Int", value: 0 }, { kind: "uint", value: 0n }],
  ["uint256[]", list(big(1n)), { kind: "array", value: [{ kind: "uint", value: 1n }] }],
])("an argument of the type %s takes the value of a field", (type, field, value) => {
  expect(fieldAsArgument(ParamType.from(type), field)).toEqual(value);
});

test.each<[string, StoreValue]>([
  ["address", bytes("0x01")],
  ["address", text],
  ["bytes3", bytes("0x0102")],
  ["uint256", big(0n)],
  ["uint256", int8],
  ["uint8", int],
  ["uint256[1]", list(big(1n))],
  ["uint256[]", list(text)],
  ["(uint256)", list(big(1n))],
])("an argument of the type %s refuses the field that graph-node refuses, %o", (type, field) => {
  const convert = () => fieldAsArgument(ParamType.from(`${type} amount`), field);
  expect(convert).toThrow(DeterministicError);
  expect(convert).toThrow(/^type mismatch for param '\w*': /);
});
