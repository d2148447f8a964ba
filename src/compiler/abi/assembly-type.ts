import { InternalError, present } from "../../base/invariant.js";
import { fitsI32, type SolidityType } from "./solidity-type.js";

/** The AssemblyScript type of a value on chain or in the store; never nullable. */
export type AssemblyType = NamedType | { readonly kind: "array"; readonly of: AssemblyType };

/** A named type: of the language, of graph-ts, or a class of a contract's binding. */
export type NamedType =
  | { readonly kind: "language"; readonly name: "string" | "boolean" | "i32" }
  | { readonly kind: "graph-ts"; readonly name: "Address" | "BigDecimal" | "BigInt" | "Bytes" }
  | { readonly kind: "binding"; readonly name: string };

/** `Bytes`, also for the topic of an indexed value that is hashed. */
export const bytesType: AssemblyType = { kind: "graph-ts", name: "Bytes" };

/** @param structClass the class of the tuple, for tuples and lists of tuples */
export function assemblyType(type: SolidityType, structClass?: string): AssemblyType {
  switch (type.kind) {
    case "address":
      return { kind: "graph-ts", name: "Address" };
    case "bool":
      return { kind: "language", name: "boolean" };
    case "string":
      return { kind: "language", name: "string" };
    case "bytes":
    case "fixedBytes":
      return bytesType;
    case "int":
      return fitsI32(type) ? { kind: "language", name: "i32" } : { kind: "graph-ts", name: "BigInt" };
    case "array":
      return { kind: "array", of: assemblyType(type.of, structClass) };
    case "tuple":
      return { kind: "binding", name: present(structClass, "a tuple has no class") };
    case "unsupported":
      throw new InternalError(`a binding was asked for the type ${type.text}`);
  }
}

/**
 * The text of a type: `BigInt`, `Array<Address>`, `Array<SwapKeyStruct>`.
 * @param nameOf the name of a named type in the scope of the text
 */
export function assemblyText(
  type: AssemblyType,
  nameOf: (named: NamedType) => string = ({ name }) => name,
): string {
  return type.kind === "array" ? `Array<${assemblyText(type.of, nameOf)}>` : nameOf(type);
}
