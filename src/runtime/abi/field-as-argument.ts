import type { ParamType } from "ethers/abi";
import type { StoreValue } from "../../subgraph/schema/entity.js";
import { DeterministicError } from "../errors.js";
import type { EthereumValue } from "../values.js";
import { scalarKind } from "./scalar-kind.js";

/**
 * Converts the value of an entity's field to an argument of a declared call, by graph-node's rules: an unsigned argument
 * accepts no BigInt of zero and no Int8, and neither fixed arrays nor tuples can be passed.
 * @throws DeterministicError when the field does not fit the argument
 */
export function fieldAsArgument(type: ParamType, field: StoreValue): EthereumValue {
  const value = type.isArray() ? asList(type, field) : asScalar(type, field);
  if (value) return value;
  throw new DeterministicError(
    `type mismatch for param '${type.name}': ${type.format("sighash")} cannot be a ${field.kind}`,
  );
}

function asList(type: ParamType, field: StoreValue): EthereumValue | undefined {
  const child = type.arrayLength === -1 ? type.arrayChildren : null;
  if (field.kind !== "Array" || !child) return undefined;
  return { kind: "array", value: field.value.map((item) => fieldAsArgument(child, item)) };
}

function asScalar(type: ParamType, field: StoreValue): EthereumValue | undefined {
  if (type.isTuple()) return undefined;
  const kind = scalarKind(type);
  switch (kind) {
    case "address":
      return bytesOf(field, 20, kind);
    case "bytes":
      return field.kind === "Bytes" ? { kind, value: field.value } : undefined;
    case "fixedBytes":
      return bytesOf(field, Number(type.baseType.slice("bytes".length)), kind);
    case "string":
      return field.kind === "String" ? { kind, value: field.value } : undefined;
    case "bool":
      return field.kind === "Bool" ? { kind, value: field.value } : undefined;
    case "int":
      return field.kind === "Int" || field.kind === "Int8" || field.kind === "BigInt"
        ? { kind, value: BigInt(field.value) }
        : undefined;
    case "uint":
      if (field.kind === "BigInt") return field.value > 0n ? { kind, value: field.value } : undefined;
      return field.kind === "Int" && field.value >= 0 ? { kind, value: BigInt(field.value) } : undefined;
    default:
      return undefined;
  }
}

function bytesOf(
  field: StoreValue,
  length: number,
  kind: "address" | "fixedBytes",
): EthereumValue | undefined {
  const isLong = field.kind === "Bytes" && field.value.length === 2 + 2 * length;
  return isLong ? { kind, value: field.value } : undefined;
}
