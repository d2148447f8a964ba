import { arrayDepth, canonicalType, elementType, type SolidityType } from "../abi/solidity-type.js";
import type { NumberBounds } from "../model/enrichment.js";

/** The range of a type, or `undefined` if it is neither an integer nor a plain list of integers. */
export function numberBounds(type: SolidityType | undefined): NumberBounds | undefined {
  if (!type || arrayDepth(type) > 1) return undefined;
  const element = elementType(type);
  if (element.kind !== "int") return undefined;
  const bits = BigInt(element.signed ? element.bits - 1 : element.bits);
  return {
    type: canonicalType(element),
    lowest: element.signed ? -(2n ** bits) : 0n,
    highest: 2n ** bits - 1n,
    isList: type.kind === "array",
  };
}
