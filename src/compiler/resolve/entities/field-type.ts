import { type StoredType, stored, storedType } from "../../abi/conversions.js";
import { parseSignature } from "../../abi/parse-signature.js";
import { elementType, type SolidityType } from "../../abi/solidity-type.js";

/** Why a type is not valid for a field, and what to write instead. */
export interface UnknownType {
  readonly problem: string;
  readonly hint: string;
  /** Candidates for a mistyped type. */
  readonly candidates: readonly string[];
  /** The type that was certainly intended. */
  readonly meant?: StoredType;
}

/** Types of GraphQL, AssemblyScript or TypeScript that users write by mistake. */
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
  const problem = "not an ABI type";
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
 * The stored type of a field with a declared ABI type.
 * @param text any ABI type name: `uint256`, `address[]`, `fixed128x18`
 * @returns or why the type is not valid
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

/** Parses a declared ABI type; `undefined` if it is invalid. */
export function fieldSolidityType(text: string): SolidityType | undefined {
  const signature = parseSignature(`f(${text})`);
  const parameters = "parameters" in signature ? signature.parameters : undefined;
  return parameters?.length === 1 ? parameters[0]?.type : undefined;
}

/** Solidity's rule: 8 to 256 bits in steps of 8, 0 to 80 decimals. */
function isFixedSize(bits: number, decimals: number): boolean {
  return bits >= 8 && bits <= 256 && bits % 8 === 0 && decimals <= 80;
}
