import type { Column, ColumnValue, ColumnValues } from "../parquet/column.js";
import { rowsPerGroup } from "../parquet/write-parquet.js";
import type { DatasetRow } from "../tables/dataset.js";
import { rowSize } from "../tables/row-size.js";

/** A group is full at about this many bytes of rows. */
const fullBytes = 32 * 1024 * 1024;

/** Rows to write together, by column. */
export class RowGroup {
  readonly #columns: readonly Column[];
  #values: Map<string, ColumnValue[]>;
  #rows = 0;
  #bytes = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#values = emptyOf(columns);
  }

  /** Whether it has the maximum number of rows or bytes to hold at once. */
  get isFull(): boolean {
    return this.#rows >= rowsPerGroup || this.#bytes >= fullBytes;
  }

  add(row: DatasetRow): void {
    for (const [name, values] of this.#values) values.push(row[name] ?? null);
    this.#rows += 1;
    this.#bytes += rowSize(row);
  }

  /** Returns and forgets all rows. */
  take(): ColumnValues {
    const all = Object.fromEntries(this.#values);
    this.#values = emptyOf(this.#columns);
    this.#rows = 0;
    this.#bytes = 0;
    return all;
  }
}

function emptyOf(columns: readonly Column[]): Map<string, ColumnValue[]> {
  return new Map(columns.map(({ name }) => [name, []]));
}
