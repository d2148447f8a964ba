import { parseDecimal } from "../../../src/runtime/numbers/big-decimal.js";
import type { Entity, StoreValue } from "../../../src/subgraph/schema/entity.js";
import type { EntityType, Field, ValueKind } from "../../../src/subgraph/schema/entity-schema.js";

/** The value of a field: a string represents every kind of value. */
export type MadeValue = string | number | boolean | readonly string[];

/** An entity with these values. A required field without a given value has the least value of its type. */
export function madeEntity(type: EntityType, values: Readonly<Record<string, MadeValue>>): Entity {
  const unknown = Object.keys(values).filter((name) => !type.stored.some((field) => field.name === name));
  if (unknown.length > 0) throw new Error(`${type.name} has no ${unknown.join(", ")}`);
  return new Map(
    type.stored.flatMap((field): [string, StoreValue][] => {
      const value = values[field.name] ?? (field.nonNull ? leastOf(field) : undefined);
      return value === undefined ? [] : [[field.name, storeValue(field, value)]];
    }),
  );
}

function leastOf({ list, kind }: Field): MadeValue {
  if (list) return [];
  if (kind === "Bool") return false;
  return kind === "String" ? "" : kind === "Bytes" ? "0x" : "0";
}

function storeValue({ kind }: Field, value: MadeValue): StoreValue {
  if (typeof value !== "object") return single(kind, String(value));
  return { kind: "Array", value: value.map((item) => single(kind, item)) };
}

/** The single value that a string represents. */
export function single(kind: ValueKind, text: string): StoreValue {
  switch (kind) {
    case "String":
      return { kind, value: text };
    case "Bytes":
      return { kind, value: text.toLowerCase() };
    case "Int":
      return { kind, value: Number(text) };
    case "Bool":
      return { kind, value: text === "true" };
    case "BigDecimal":
      return { kind, value: parseDecimal(text) };
    default:
      return { kind, value: BigInt(text) };
  }
}
