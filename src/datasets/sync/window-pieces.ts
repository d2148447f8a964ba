import type { Column, ColumnValue, ColumnValues } from "../parquet/column.js";
import type { ParquetFacts } from "../parquet/read-parquet.js";
import { ParquetPieces, rowsPerGroup } from "../parquet/write-parquet.js";
import type { DatasetRow } from "../tables/dataset.js";
import { type DatasetKind, datasetAt, parquetColumns } from "../tables/dataset.js";
import { datasets } from "../tables/datasets.js";
import { rowSize } from "../tables/row-size.js";
import type { OpenWindow } from "./window-source.js";
import type { Window } from "./windows.js";

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

/** The day's key in a file's metadata. In files of earlier versions, the day is a column. */
export const dayColumn = "dt";

/**
 * The columns of a window's file: those of the dataset. The day is in the folder's name, where readers of partitions
 * find it. Each reader chooses its own type for the partition, and refuses a column with the same name and another
 * type.
 */
export function windowColumns(kind: DatasetKind): readonly Column[] {
  return parquetColumns(datasets[kind]);
}

/**
 * The columns of a file: the current ones, or an earlier version's, which may include the day; `undefined` for any
 * others.
 */
export function columnsOfWindow(kind: DatasetKind, facts: ParquetFacts): readonly Column[] | undefined {
  const columns = windowColumns(kind);
  const former = parquetColumns(datasetAt(datasets[kind]));
  const forms = [columns, former, [...former, { name: dayColumn, type: "string" } as const]];
  return forms.find(facts.hasColumns);
}

/** The metadata of a window's file. */
export function aboutWindow(kind: DatasetKind, { from, to }: Window): Readonly<Record<string, string>> {
  return { dataset: kind, version: datasets[kind].version, blocks: `${from}-${to}` };
}

/**
 * The pieces of a window's file. Writes rows group by group, so that memory does not grow with them. The same rows
 * give the same bytes, however they are batched.
 */
export async function* windowPieces(
  kind: DatasetKind,
  window: Window,
  { day, batches }: OpenWindow,
): AsyncGenerator<Uint8Array, void, void> {
  const columns = windowColumns(kind);
  const file = new ParquetPieces(columns, { ...aboutWindow(kind, window), [dayColumn]: day });
  const group = new RowGroup(columns);
  for await (const { rows } of batches) {
    for (const row of rows) {
      group.add(row);
      if (group.isFull) yield file.add(group.take());
    }
  }
  yield file.add(group.take());
  yield file.finish();
}

function emptyOf(columns: readonly Column[]): Map<string, ColumnValue[]> {
  return new Map(columns.map(({ name }) => [name, []]));
}
