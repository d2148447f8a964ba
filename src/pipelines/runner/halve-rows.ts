import { pickRows, type Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { RowsPlace } from "../transforms/lookup-table.js";

/** Rows of some blocks. */
export interface PlacedRows {
  readonly rows: Rows;
  readonly place: RowsPlace;
}

/** The index of the column with the number of a row's block, in a dataset. */
export function blockColumn(columns: readonly RowColumn[]): number {
  const found = columns.findIndex(({ name }) => name === "block_number");
  return found === -1 ? columns.findIndex(({ name }) => name === "number") : found;
}

/**
 * Divides rows by block into a first and a last half.
 * @param column the index of the column with the block number
 */
export function halves(rows: Rows, column: number, place: RowsPlace | undefined): readonly PlacedRows[] {
  const blocks = rows.columns[column];
  if (!place || !blocks) throw new Error("rows without blocks cannot be divided");
  const numbers = blocks.map(Number);
  const { from, to } = numbers.reduce(
    (range, number) => ({ from: Math.min(range.from, number), to: Math.max(range.to, number) }),
    { from: place.to, to: place.from },
  );
  const middle = Math.floor((from + to) / 2);
  const half = (first: number, last: number): PlacedRows => ({
    rows: pickRows(
      rows,
      numbers.flatMap((number, row) => (number >= first && number <= last ? [row] : [])),
    ),
    place: { from: first, to: last },
  });
  return from === to ? [half(from, to)] : [half(from, middle), half(middle + 1, to)];
}
