import { quoteForeign } from "../../base/text/quote-foreign.js";
import type { Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";

/**
 * `the row with id "…" of block 17`: a row by its id, which the rows of datasets have, or else by its first column; and by
 * its block, if it has one.
 */
export function describedRow(columns: readonly RowColumn[], rows: Rows, row: number): string {
  const indexOf = (wanted: string): number => columns.findIndex(({ name }) => name === wanted);
  const named = Math.max(0, indexOf("id"));
  const value = quoteForeign(String(rows.columns[named]?.[row] ?? null));
  const block = rows.columns[indexOf("block_number")]?.[row] ?? null;
  const place = block === null ? "" : ` of block ${String(block)}`;
  return `the row with ${columns[named]?.name ?? "column"} ${value}${place}`;
}
