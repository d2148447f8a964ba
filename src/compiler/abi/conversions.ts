import { type AssemblyType, bytesType } from "./assembly-type.js";
import { arrayDepth, elementType, fitsI32, isHashedWhenIndexed, type SolidityType } from "./solidity-type.js";

/** The scalars a generated schema uses. */
export type Scalar = "ID" | "String" | "Boolean" | "Bytes" | "Int" | "BigInt" | "BigDecimal";

/** How a Solidity value is stored: its GraphQL type, and the AssemblyScript type an expression for it must have. */
export interface StoredType {
  readonly scalar: Exclude<Scalar, "ID">;
  readonly list: boolean;
  readonly assembly: AssemblyType;
}

const assemblyOf: Record<StoredType["scalar"], AssemblyType> = {
  String: { kind: "language", name: "string" },
  Boolean: { kind: "language", name: "boolean" },
  Bytes: bytesType,
  Int: { kind: "language", name: "i32" },
  BigInt: { kind: "graph-ts", name: "BigInt" },
  BigDecimal: { kind: "graph-ts", name: "BigDecimal" },
};

/** The scalar a plain value becomes; `undefined` for arrays, structs and what is unsupported. */
export function storedScalar(type: SolidityType): StoredType["scalar"] | undefined {
  switch (type.kind) {
    case "address":
    case "string":
      return "String";
    case "bool":
      return "Boolean";
    case "bytes":
    case "fixedBytes":
      return "Bytes";
    case "int":
      return fitsI32(type) ? "Int" : "BigInt";
    default:
      return undefined;
  }
}

/** A stored type from its scalar. */
export function stored(scalar: StoredType["scalar"], list = false): StoredType {
  const one = assemblyOf[scalar];
  return { scalar, list, assembly: list ? { kind: "array", of: one } : one };
}

/**
 * How a value that is no struct is stored: plain values as scalars, one-dimensional lists as lists, anything
 * deeper as the bytes of its ABI encoding.
 */
export function storedType(type: SolidityType): StoredType {
  const scalar = storedScalar(elementType(type));
  if (scalar === undefined || arrayDepth(type) > 1) return stored("Bytes");
  return stored(scalar, arrayDepth(type) === 1);
}

/** How an event parameter is stored, which for hashed indexed ones is the topic. */
export function storedEventType(type: SolidityType, indexed: boolean): StoredType {
  return indexed && isHashedWhenIndexed(type) ? stored("Bytes") : storedType(type);
}
