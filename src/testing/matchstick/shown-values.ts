import { decimalText } from "../../runtime/numbers/big-decimal.js";
import type { EthereumValue } from "../../runtime/values.js";
import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";

/** A value in the words of `assert.fieldEquals`. */
export function valueText(value: StoreValue): string {
  switch (value.kind) {
    case "Null":
      return "null";
    case "BigDecimal":
      return decimalText(value.value);
    case "Array":
      return `[${value.value.map(valueText).join(", ")}]`;
    default:
      return String(value.value);
  }
}

/** An `ethereum.Value` as matchstick compares it: kinds of integers and of bytes are one, and so are kinds of lists. */
export function comparable(value: EthereumValue): StoreValue {
  switch (value.kind) {
    case "address":
    case "fixedBytes":
    case "bytes":
    case "function":
      return { kind: "Bytes", value: value.value };
    case "int":
    case "uint":
      return { kind: "BigInt", value: value.value };
    case "bool":
      return { kind: "Bool", value: value.value };
    case "string":
      return { kind: "String", value: value.value };
    default:
      return { kind: "Array", value: value.value.map(comparable) };
  }
}

/** Whether two values have the same kind and content. */
export function isSameValue(one: StoreValue, other: StoreValue): boolean {
  if (one.kind === "Array" && other.kind === "Array") {
    const { value: items } = other;
    return (
      one.value.length === items.length &&
      one.value.every((item, index) => isSameValue(item, items[index] ?? { kind: "Null" }))
    );
  }
  return one.kind === other.kind && valueText(one) === valueText(other);
}

/** An entity as graph-node serializes it: each value with its type. */
export function entityJson(entity: Entity): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...entity].map(([name, value]) => [name, valueJson(value)]));
}

const typeNames = { Array: "List" } as const;

function valueJson(value: StoreValue): unknown {
  if (value.kind === "Null") return { type: "Null" };
  const type = value.kind === "Array" ? typeNames.Array : value.kind;
  if (value.kind === "Array") return { type, data: value.value.map(valueJson) };
  const isPlain = value.kind === "Int" || value.kind === "Bool";
  return { type, data: isPlain ? value.value : valueText(value) };
}
