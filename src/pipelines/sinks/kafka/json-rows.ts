import type { Rows, RowValue } from "../../changes/rows.js";
import type { RowColumn, RowSchema, ValueType } from "../../changes/schema.js";
import type { RowFormat } from "./row-format.js";

/**
 * Rows as JSON objects. Integers of up to 64 bits are numbers with all their digits, larger ones are strings, and times
 * are text such as `2026-01-31T12:00:00.000000Z`.
 */
export function jsonRows({ columns, key }: RowSchema): RowFormat {
  const all = columns.map((column, index) => ({ column, index }));
  const ofKey = key.flatMap((name) => all.filter(({ column }) => column.name === name));
  return {
    key: (rows, row) => (ofKey.length === 0 ? null : encoded(rows, row, ofKey)),
    value: (rows, row) => encoded(rows, row, all),
  };
}

function encoded(
  rows: Rows,
  row: number,
  columns: readonly { readonly column: RowColumn; readonly index: number }[],
): Uint8Array {
  const members = columns.map(
    ({ column: { name, type }, index }) =>
      `${JSON.stringify(name)}:${jsonOf(rows.columns[index]?.[row] ?? null, type)}`,
  );
  return Buffer.from(`{${members.join(",")}}`);
}

function jsonOf(value: RowValue, type: ValueType): string {
  if (typeof value === "bigint")
    return type === "TIMESTAMP" ? JSON.stringify(timeText(value)) : String(value);
  // JSON has no words for these.
  if (typeof value === "number" && !Number.isFinite(value)) return JSON.stringify(String(value));
  return JSON.stringify(value);
}

/** Milliseconds since 1970 that a date has at most. */
const latestDate = 8_640_000_000_000_000n;

/** @param micros microseconds since 1970 */
function timeText(micros: bigint): string {
  const millis = micros / 1_000n;
  if (millis > latestDate || millis < -latestDate) return String(micros);
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - rest) / 1_000n)).toISOString().slice(0, -5);
  return `${seconds}.${String(rest).padStart(6, "0")}Z`;
}
