import { type StoredType, stored, storedType } from "../abi/conversions.js";
import { parseSignature } from "../abi/parse-signature.js";
import { elementType, type SolidityType } from "../abi/solidity-type.js";

/** Why no field can have a type, in a few words, and what to do instead. */
export interface UnknownType {
  readonly problem: string;
  readonly hint: string;
  /** Types one of which may have been mistyped. */
  readonly candidates: readonly string[];
  /** The type that is certainly meant, in whose stead something else was written. */
  readonly meant?: StoredType;
}

/** What users write who think of GraphQL, AssemblyScript or TypeScript. */
const foreignTypes: ReadonlyMap<string, string> = new Map([
  ["BigInt", "uint256"],
  ["Int", "int32"],
  ["i32", "int32"],
  ["u32", "uint32"],
  ["number", "uint256"],
  ["Address", "address"],
  ["String", "string"],
  ["Boolean", "bool"],
  ["boolean", "bool"],
  ["Bytes", "bytes"],
  ["BigDecimal", "fixed"],
  ["Decimal", "fixed"],
  ["decimal", "fixed"],
  ["float", "fixed"],
  ["double", "fixed"],
  ["ID", "string"],
]);

const commonTypes = ["address", "bool", "string", "bytes", "bytes32", "uint256", "int256", "uint8", "fixed"];

function unknownType(text: string): UnknownType {
  const problem = "no type of the ABI";
  const meant = foreignTypes.get(text.replace(/!$/, ""));
  if (meant !== undefined) {
    const stored = fieldStoredType(meant);
    return {
      problem,
      hint: `write "${meant}"`,
      candidates: [],
      ...("scalar" in stored && { meant: stored }),
    };
  }
  const hint = "write an ABI type such as address, uint256, string, bytes32 or uint256[]";
  return { problem, hint, candidates: commonTypes };
}

/**
 * How a field of a written ABI type is stored.
 * @param text any ABI type name: `uint256`, `address[]`, `fixed128x18`
 * @returns or the reason why no field can have the type
 */
export function fieldStoredType(text: string): StoredType | UnknownType {
  const unknown = unknownType(text);
  const decimal = /^u?fixed(?:(\d+)x(\d+))?((?:\[\d*\])*)$/.exec(text);
  if (decimal) {
    const [, bits = "128", decimals = "18", dimensions = ""] = decimal;
    if (!isFixedSize(Number(bits), Number(decimals))) return unknown;
    const depth = dimensions.split("[").length - 1;
    return depth > 1 ? stored("Bytes") : stored("BigDecimal", depth === 1);
  }
  const type = fieldSolidityType(text);
  if (type === undefined) return unknown;
  const element = elementType(type);
  if (element.kind === "tuple")
    return { problem: "a struct", hint: "write a field for each of its members", candidates: [] };
  if (type.kind === "unsupported" || element.kind === "unsupported") return unknown;
  return storedType(type);
}

/** A written ABI type, as far as it is one. */
export function fieldSolidityType(text: string): SolidityType | undefined {
  const signature = parseSignature(`f(${text})`);
  const parameters = "parameters" in signature ? signature.parameters : undefined;
  return parameters?.length === 1 ? parameters[0]?.type : undefined;
}

/** Solidity's rule: 8 to 256 bits in steps of 8, 0 to 80 decimals. */
function isFixedSize(bits: number, decimals: number): boolean {
  return bits >= 8 && bits <= 256 && bits % 8 === 0 && decimals <= 80;
}
