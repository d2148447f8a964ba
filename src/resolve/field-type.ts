import { type StoredType, stored, storedType } from "../abi/conversions.js";
import { parseSignature } from "../abi/parse-signature.js";
import { elementType } from "../abi/solidity-type.js";

/**
 * How a field of a written ABI type is stored.
 * @param text any ABI type name: `uint256`, `address[]`, `fixed128x18`
 * @returns or the reason why no field can have the type
 */
export function fieldStoredType(text: string): StoredType | { readonly problem: string } {
  const decimal = /^u?fixed(?:(\d+)x(\d+))?((?:\[\d*\])*)$/.exec(text);
  if (decimal) {
    const [, bits = "128", decimals = "18", dimensions = ""] = decimal;
    if (!isFixedSize(Number(bits), Number(decimals))) return { problem: "is not an ABI type" };
    const depth = dimensions.split("[").length - 1;
    return depth > 1 ? stored("Bytes") : stored("BigDecimal", depth === 1);
  }
  const signature = parseSignature(`f(${text})`);
  const parameters = "parameters" in signature ? signature.parameters : undefined;
  const type = parameters?.length === 1 ? parameters[0]?.type : undefined;
  if (type === undefined) return { problem: "is not an ABI type" };
  const element = elementType(type);
  if (element.kind === "tuple") return { problem: "is a struct; map its members one by one" };
  if (type.kind === "unsupported" || element.kind === "unsupported") return { problem: "is not an ABI type" };
  return storedType(type);
}

/** Solidity's rule: 8 to 256 bits in steps of 8, 0 to 80 decimals. */
function isFixedSize(bits: number, decimals: number): boolean {
  return bits >= 8 && bits <= 256 && bits % 8 === 0 && decimals <= 80;
}
