import { expect, it } from "vitest";
import { abiTypeText, canonicalType, parseSolidityType } from "../../../src/compiler/abi/solidity-type.js";

it.each([
  "uint256[2]",
  "uint256[]",
  "uint256[9007199254740993]",
  "uint8[99999999999999999999999]",
  "bytes32[115792089237316195423570985008687907853269984665640564039457584007913129639935][]",
])("%s keeps every digit of its size", (text) => {
  const type = parseSolidityType(text);
  expect(canonicalType(type)).toBe(text);
  expect(abiTypeText(type)).toBe(text);
});
