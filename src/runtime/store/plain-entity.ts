import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import { decimalText } from "../numbers/big-decimal.js";

/** A JSON value of a field. */
export type PlainValue = string | number | boolean | null | readonly PlainValue[];

/** An entity as JSON, by field name. */
export type PlainEntity = Readonly<Record<string, PlainValue>>;

/** Converts the non-null fields of an entity to JSON; see `plainValue`. */
export function plainEntity(entity: Entity): PlainEntity {
  return Object.fromEntries([...entity].map(([name, value]) => [name, plainStoreValue(value)]));
}

/**
 * Converts a value to JSON as a GraphQL server does. `Int` becomes a number, `Bool` a boolean, and `Bytes` a lower-case
 * hex string with 0x. `BigInt`, `Int8` and `Timestamp` (microseconds since the Unix epoch) become decimal strings.
 * `BigDecimal` becomes a decimal string without an exponent.
 */
export function plainStoreValue(value: StoreValue): PlainValue {
  switch (value.kind) {
    case "Null":
      return null;
    case "Array":
      return value.value.map(plainStoreValue);
    case "BigDecimal":
      return decimalText(value.value);
    case "BigInt":
    case "Int8":
    case "Timestamp":
      return String(value.value);
    default:
      return value.value;
  }
}
