import { parseJson } from "../../base/text/json-value.js";
import type { Rows, RowValue } from "./rows.js";
import type { RowColumn, ValueType } from "./schema.js";
import { timestampText } from "./timestamp-text.js";

/**
 * A row as the text of a JSON object, for programs of other people. Integers of 256 bits and decimal numbers are strings,
 * and so are longs that JSON readers round; times are ISO 8601 in UTC; JSON is itself.
 */
export function rowJson(columns: readonly RowColumn[], rows: Rows, row: number): string {
  const members = columns.map(
    ({ name, type }, index) =>
      `${JSON.stringify(name)}:${valueJson(rows.columns[index]?.[row] ?? null, type)}`,
  );
  return `{${members.join(",")}}`;
}

function valueJson(value: RowValue, type: ValueType): string {
  if (value === null) return "null";
  if (typeof value === "bigint") {
    if (type === "TIMESTAMP") return `"${isDate(value) ? timestampText(value) : value}"`;
    return isExact(value) ? String(value) : `"${value}"`;
  }
  if (type === "JSON" && typeof value === "string" && parseJson(value) !== undefined) return value;
  return JSON.stringify(value);
}

function isDate(time: bigint): boolean {
  return time <= furthest && time >= -furthest;
}

function isExact(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
}

/** Microseconds within which times have a text. */
const furthest = 8_640_000_000_000_000_000n;
