import type { ColumnValue } from "../parquet/column.js";
import type { DatasetRow } from "./dataset.js";

/** Bytes of a number, and the overhead of a value in memory. */
const valueBytes = 8;

/** About how many bytes the values of a row take. */
export function rowSize(row: DatasetRow): number {
  let size = 0;
  for (const name in row) size += valueBytes + lengthOf(row[name] ?? null);
  return size;
}

function lengthOf(value: ColumnValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return value.reduce((sum, text) => sum + valueBytes + text.length, 0);
}
