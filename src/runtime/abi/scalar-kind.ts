import type { ParamType } from "ethers/abi";

/** The kind of the values of a scalar type. */
export function scalarKind({
  baseType,
}: ParamType): "address" | "bool" | "string" | "bytes" | "fixedBytes" | "uint" | "int" {
  switch (baseType) {
    case "address":
    case "bool":
    case "string":
    case "bytes":
      return baseType;
    default:
      if (baseType.startsWith("uint")) return "uint";
      return baseType.startsWith("int") ? "int" : "fixedBytes";
  }
}
