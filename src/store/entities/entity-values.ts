import { decimalText, parseDecimal } from "../../runtime/numbers/big-decimal.js";
import type { StoreValue } from "../../subgraph/schema/entity.js";
import type { Field } from "../../subgraph/schema/entity-schema.js";
import type { SqlText } from "../database/database.js";
import { arrayText, parseArray } from "../database/sql-array.js";
import { parseTimestamp, timestampText } from "../database/timestamps.js";

/** A value in the database's text form. */
export function sqlValue(value: StoreValue | undefined): SqlText {
  if (value === undefined) return null;
  switch (value.kind) {
    case "Null":
      return null;
    case "Array":
      return arrayText(value.value.map(sqlValue));
    case "Bytes":
      return `\\x${value.value.slice(2)}`;
    case "BigDecimal":
      return decimalText(value.value);
    case "Bool":
      return value.value ? "t" : "f";
    case "Timestamp":
      return timestampText(value.value);
    default:
      return String(value.value);
  }
}

/** An id in the database's text form. */
export function sqlId(kind: Field["kind"], id: string): string {
  return kind === "Bytes" ? `\\x${id.slice(2)}` : id;
}

/** The value that a column of a field holds. */
export function storeValue({ kind, list }: Pick<Field, "kind" | "list">, text: string): StoreValue {
  if (!list) return itemValue(kind, text);
  const items = parseArray(text).map(
    (item): StoreValue => (item === null ? { kind: "Null" } : itemValue(kind, item)),
  );
  return { kind: "Array", value: items };
}

function itemValue(kind: Field["kind"], text: string): StoreValue {
  switch (kind) {
    case "String":
      return { kind, value: text };
    case "Bytes":
      return { kind, value: `0x${text.slice(2)}` };
    case "Int":
      return { kind, value: Number(text) };
    case "Int8":
    case "BigInt":
      return { kind, value: BigInt(text) };
    case "BigDecimal":
      return { kind, value: parseDecimal(text) };
    case "Bool":
      return { kind, value: text === "t" };
    case "Timestamp":
      return { kind, value: parseTimestamp(text) };
  }
}
