import type { ColumnValue } from "../parquet/column.js";
import type { DatasetRow } from "./dataset.js";

/** Bytes of a number, and of a value's overhead in memory. */
const valueBytes = 8;

/** The approximate size of a row's values, in bytes. */
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
