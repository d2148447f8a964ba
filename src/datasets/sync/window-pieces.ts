import type { Column } from "../parquet/column.js";
import type { ParquetFacts } from "../parquet/read-parquet.js";
import { ParquetPieces } from "../parquet/write-parquet.js";
import { type DatasetKind, datasetAt, parquetColumns } from "../tables/dataset.js";
import { datasets } from "../tables/datasets.js";
import { RowGroup } from "./row-group.js";
import type { OpenWindow } from "./window-source.js";
import type { Window } from "./windows.js";

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
