import { type AssemblyType, bytesType } from "./assembly-type.js";
import { arrayDepth, elementType, fitsI32, isHashedWhenIndexed, type SolidityType } from "./solidity-type.js";

/** The scalars that a generated schema uses. */
export type ScalarType = "ID" | "String" | "Boolean" | "Bytes" | "Int" | "BigInt" | "BigDecimal";

/**
 * The stored form of a Solidity value: its GraphQL type, and the AssemblyScript type that an expression for
 * it must have.
 */
export interface StoredType {
  readonly scalar: Exclude<ScalarType, "ID">;
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

/** The scalar of a plain value; `undefined` for arrays, structs and unsupported types. */
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

/** The stored type of a scalar or a list of scalars. */
export function stored(scalar: StoredType["scalar"], list = false): StoredType {
  const one = assemblyOf[scalar];
  return { scalar, list, assembly: list ? { kind: "array", of: one } : one };
}

/**
 * The stored type of a value that is not a struct: plain values become scalars, one-dimensional lists become lists,
 * and deeper lists become the bytes of their ABI encoding.
 */
export function storedType(type: SolidityType): StoredType {
  const scalar = storedScalar(elementType(type));
  if (scalar === undefined || arrayDepth(type) > 1) return stored("Bytes");
  return stored(scalar, arrayDepth(type) === 1);
}

/** The stored type of an event parameter; for an indexed value that is hashed, the type of its topic. */
export function storedEventType(type: SolidityType, indexed: boolean): StoredType {
  return indexed && isHashedWhenIndexed(type) ? stored("Bytes") : storedType(type);
}
