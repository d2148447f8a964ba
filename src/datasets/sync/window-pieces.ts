import type { Column } from "../parquet/column.js";
import { ParquetPieces } from "../parquet/write-parquet.js";
import { type DatasetKind, parquetColumns } from "../tables/dataset.js";
import { datasets } from "../tables/datasets.js";
import { RowGroup } from "./row-group.js";
import type { OpenWindow } from "./window-source.js";
import type { Window } from "./windows.js";

/** The columns of a window's file: those of the dataset, and the day. */
export function windowColumns(kind: DatasetKind): readonly Column[] {
  return [...parquetColumns(datasets[kind]), { name: "dt", type: "string" }];
}

/** What a window's file says about itself. */
export function aboutWindow(kind: DatasetKind, { from, to }: Window): Readonly<Record<string, string>> {
  return { dataset: kind, version: datasets[kind].version, blocks: `${from}-${to}` };
}

/**
 * The pieces of a window's file. Rows are written group by group, so that memory does not grow with them. The same rows give
 * the same bytes, whatever their batches.
 */
export async function* windowPieces(
  kind: DatasetKind,
  window: Window,
  { day, batches }: OpenWindow,
): AsyncGenerator<Uint8Array, void, void> {
  const columns = windowColumns(kind);
  const file = new ParquetPieces(columns, aboutWindow(kind, window));
  const group = new RowGroup(columns, { dt: day });
  for await (const { rows } of batches) {
    for (const row of rows) {
      group.add(row);
      if (group.isFull) yield file.add(group.take());
    }
  }
  yield file.add(group.take());
  yield file.finish();
}
