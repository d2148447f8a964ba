import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import { decimalText } from "../numbers/big-decimal.js";

/** A value of an entity as JSON has it. */
export type PlainValue = string | number | boolean | null | readonly PlainValue[];

/** An entity as JSON has it, by field name. */
export type PlainEntity = Readonly<Record<string, PlainValue>>;

/** The fields of an entity that have a value, as JSON has them; see `plainValue`. */
export function plainEntity(entity: Entity): PlainEntity {
  return Object.fromEntries([...entity].map(([name, value]) => [name, plainValue(value)]));
}

/**
 * A value as a GraphQL server would answer with it: `Int` is a number, `Bool` is one of true and false, `Bytes` is
 * lower-case hex text with 0x; `BigInt`, `Int8` and `Timestamp` (microseconds since 1970) are texts of whole decimal
 * numbers, `BigDecimal` is the text of a decimal number without an exponent.
 */
export function plainValue(value: StoreValue): PlainValue {
  switch (value.kind) {
    case "Null":
      return null;
    case "Array":
      return value.value.map(plainValue);
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
