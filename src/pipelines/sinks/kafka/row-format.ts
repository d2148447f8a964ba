import type { Rows } from "../../changes/rows.js";

/** How rows become the bytes of records. */
export interface RowFormat {
  /** The key of a row; null if rows have none. */
  key(rows: Rows, row: number): Uint8Array | null;
  value(rows: Rows, row: number): Uint8Array;
}
