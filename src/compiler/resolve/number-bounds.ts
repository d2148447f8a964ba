import {
  arrayDepth,
  canonicalType,
  elementType,
  integerRange,
  type SolidityType,
} from "../abi/solidity-type.js";
import type { NumberBounds } from "../model/enrichment.js";

/** The range of a type, or `undefined` unless it is an integer or a plain list of integers. */
export function numberBounds(type: SolidityType | undefined): NumberBounds | undefined {
  if (!type || arrayDepth(type) > 1) return undefined;
  const element = elementType(type);
  const range = integerRange(element);
  return range && { type: canonicalType(element), ...range, isList: type.kind === "array" };
}
