import type { ParamType } from "ethers/abi";
import { DeterministicError } from "../errors.js";
import type { EthereumValue } from "../values.js";
import { scalarKind } from "./scalar-kind.js";

function kindOf(type: ParamType): EthereumValue["kind"] {
  if (type.isArray()) return type.arrayLength === -1 ? "array" : "fixedArray";
  return type.isTuple() ? "tuple" : scalarKind(type);
}

/** Bits of an integer type, or bytes of a fixed bytes type. */
const widthOf = ({ baseType }: ParamType): number => Number(baseType.replace(/^\D+/, ""));

/**
 * Converts an argument of a call to the value that ethers encodes. Integers must fit the type. Fixed bytes may be
 * shorter than the type. Every other value must match the type's kind exactly.
 * @throws DeterministicError when graph-node would refuse it
 */
export function toAbiValue(type: ParamType, value: EthereumValue): unknown {
  if (kindOf(type) !== value.kind) throw mismatch(type, value);
  switch (value.kind) {
    case "array":
    case "fixedArray": {
      const items = value.value;
      const expected = type.arrayLength ?? -1;
      if (expected !== -1 && items.length !== expected) throw mismatch(type, value);
      return items.map((item) => toAbiValue(childOf(type), item));
    }
    case "tuple": {
      const components = type.components ?? [];
      if (value.value.length !== components.length) throw mismatch(type, value);
      return components.map((part, i) => toAbiValue(part, value.value[i] ?? value));
    }
    case "fixedBytes": {
      const length = 2 + widthOf(type) * 2;
      if (value.value.length > length) throw mismatch(type, value);
      return value.value.padEnd(length, "0");
    }
    case "int":
      return fitting(type, value.value, BigInt.asIntN(widthOf(type), value.value));
    case "uint":
      return fitting(type, value.value, BigInt.asUintN(widthOf(type), value.value));
    default:
      return value.value;
  }
}

function childOf(type: ParamType): ParamType {
  if (!type.isArray()) throw new Error(`${type.format()} is not a list`);
  return type.arrayChildren;
}

function fitting(type: ParamType, value: bigint, cut: bigint): bigint {
  if (cut !== value) throw new DeterministicError(`${value} does not fit into ${type.format()}`);
  return value;
}

function mismatch(type: ParamType, value: EthereumValue): DeterministicError {
  return new DeterministicError(`type mismatch, token ${tokenText(value)} is not of kind ${type.format()}`);
}

function tokenText({ kind, value }: EthereumValue): string {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const text = Array.isArray(value) ? `[${value.map(tokenText).join(", ")}]` : String(value);
  return `${name}(${text})`;
}
