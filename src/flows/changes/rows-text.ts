import { isRecord, parseJson } from "../../base/json-value.js";
import type { FlowValue, Rows } from "./rows.js";
import type { FlowColumn } from "./schema.js";

/** Rows as JSON, column by column. Integers are strings, since JSON readers round long ones. */
export function rowsText({ count, columns }: Rows): string {
  return JSON.stringify({ count, columns: columns.map((column) => column.map(jsonOf)) });
}

/**
 * Reads what `rowsText` wrote.
 * @param columns the columns that the rows had
 * @returns `undefined` for another text
 */
export function rowsFromText(text: string, columns: readonly FlowColumn[]): Rows | undefined {
  const read = parseJson(text);
  if (!isRecord(read) || typeof read.count !== "number" || !Array.isArray(read.columns)) return undefined;
  if (read.columns.length !== columns.length) return undefined;
  const values = columns.map(({ type }, index) => {
    const column: unknown = (read.columns as unknown[])[index];
    if (!Array.isArray(column) || column.length !== read.count) return undefined;
    const isInteger = type === "LONG" || type === "TIMESTAMP";
    return column.map((value): FlowValue => (isInteger && typeof value === "string" ? BigInt(value) : value));
  });
  return values.every((column) => column !== undefined) ? { count: read.count, columns: values } : undefined;
}

function jsonOf(value: FlowValue): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
