import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { Rows, RowValue } from "./rows.js";
import type { RowColumn } from "./schema.js";

/**
 * Rows as JSON, column by column. Integers are strings, since JSON readers round long ones, and so are values that
 * JSON lacks.
 */
export function rowsText({ count, columns }: Rows): string {
  return JSON.stringify({ count, columns: columns.map((column) => column.map(jsonOf)) });
}

/**
 * Reads what `rowsText` wrote.
 * @param columns the columns that the rows had
 * @returns `undefined` for another text
 */
export function rowsFromText(text: string, columns: readonly RowColumn[]): Rows | undefined {
  const read = parseJson(text);
  if (!isRecord(read) || typeof read.count !== "number" || !Array.isArray(read.columns)) return undefined;
  if (read.columns.length !== columns.length) return undefined;
  const values = columns.map(({ type }, index) => {
    const column: unknown = (read.columns as unknown[])[index];
    if (!Array.isArray(column) || column.length !== read.count) return undefined;
    const isInteger = type === "LONG" || type === "TIMESTAMP";
    return column.map((value): RowValue => {
      if (typeof value !== "string") return value;
      if (isInteger) return BigInt(value);
      return type === "DOUBLE" ? Number(value) : value;
    });
  });
  return values.every((column) => column !== undefined) ? { count: read.count, columns: values } : undefined;
}

function jsonOf(value: RowValue): unknown {
  if (typeof value === "bigint") return String(value);
  // JSON has no NaN and no infinity, and would write null.
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
