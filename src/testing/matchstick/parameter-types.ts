import type { EthereumValue } from "../../runtime/values.js";
import { StopError } from "./stop-error.js";

/** The type of a parameter in a signature. */
export type ParameterType =
  | { readonly kind: "address" | "bool" | "bytes" | "string" }
  | { readonly kind: "int" | "uint" | "fixedBytes"; readonly size: number }
  | { readonly kind: "array"; readonly of: ParameterType }
  | { readonly kind: "fixedArray"; readonly of: ParameterType; readonly size: number }
  | { readonly kind: "tuple"; readonly of: readonly ParameterType[] };

/** Splits types at the commas outside of parentheses. */
export function splitTypes(text: string): readonly string[] {
  const types: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth === 0) {
      types.push(current.trim());
      current = "";
    } else current += character;
  }
  if (current.trim() !== "") types.push(current.trim());
  return types;
}

const plain = ["address", "bool", "bytes", "string"] as const;

/** @throws StopError for a type that does not exist */
export function parameterType(text: string): ParameterType {
  const simple = plain.find((kind) => kind === text);
  if (simple) return { kind: simple };
  const [, list, size] = /^(.+)\[(\d*)\]$/s.exec(text) ?? [];
  if (list !== undefined) {
    const of = parameterType(list.trim());
    return size === "" ? { kind: "array", of } : { kind: "fixedArray", of, size: Number(size) };
  }
  const [, number, bits] = /^(u?int)(\d+)$/.exec(text) ?? [];
  if (number === "int" || number === "uint") return { kind: number, size: Number(bits) };
  const [, bytes] = /^bytes(\d+)$/.exec(text) ?? [];
  if (bytes !== undefined) return { kind: "fixedBytes", size: Number(bytes) };
  const [, inner] = /^\((.*)\)$/s.exec(text) ?? [];
  if (inner !== undefined) return { kind: "tuple", of: splitTypes(inner).map(parameterType) };
  throw new StopError(`Unrecognized argument type \`${text}\``);
}

/** Whether a value fits a type. As in matchstick, the number of bits of an integer does not matter. */
export function fits(value: EthereumValue, type: ParameterType): boolean {
  if (value.kind !== type.kind) return false;
  switch (type.kind) {
    case "fixedBytes":
      return String(value.value).length <= 2 + type.size * 2;
    case "array":
      return itemsOf(value).every((item) => fits(item, type.of));
    case "fixedArray":
      return itemsOf(value).length === type.size && itemsOf(value).every((item) => fits(item, type.of));
    case "tuple":
      return (
        itemsOf(value).length === type.of.length &&
        itemsOf(value).every((item, index) => {
          const wanted = type.of[index];
          return wanted !== undefined && fits(item, wanted);
        })
      );
    default:
      return true;
  }
}

function itemsOf(value: EthereumValue): readonly EthereumValue[] {
  return Array.isArray(value.value) ? value.value : [];
}

/** A value with its kind, for messages: `Uint(1)`. */
export function valueWithKind(value: EthereumValue): string {
  const name = value.kind[0]?.toUpperCase() + value.kind.slice(1);
  const items = itemsOf(value);
  if (Array.isArray(value.value)) return `${name}([${items.map(valueWithKind).join(", ")}])`;
  return `${name}(${value.kind === "string" ? JSON.stringify(value.value) : String(value.value)})`;
}
