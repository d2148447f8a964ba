import { present } from "../../base/invariant.js";
import { ReorgError } from "../../runtime/chain/chain.js";
import { extract } from "../extract/extract.js";
import type { Extraction, ExtractionSource } from "../extract/extraction.js";
import type { ColumnValue } from "../parquet/column.js";
import { writeParquet } from "../parquet/write-parquet.js";
import { type DatasetRow, parquetColumns } from "../tables/dataset.js";
import { datasets } from "../tables/datasets.js";
import type { TableFiles } from "./table-files.js";
import { type PlannedWindow, type Window, type WindowPlan, windowPath } from "./windows.js";

/** What was written so far. */
export interface SyncProgress {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Blocks that were read, including those of the file in hand. */
  readonly blocks: number;
}

export interface SyncOptions {
  /** The chain head. */
  readonly newest: number;
  readonly signal: AbortSignal;
  onProgress(progress: SyncProgress): void;
  /** Waits before a window is read again, because the node contradicts itself. @throws an error to give up */
  onReorg(error: ReorgError): Promise<void>;
  /** After each file. */
  onFile(written: SyncProgress): Promise<void>;
}

/** Ranges of a window that are asked for at the same time. */
const parallel = 4;
/** Most blocks of such a range. */
const longestSpan = 1_000;

/**
 * Writes the files that a folder lacks, one after another: for each window one file, also when it has no rows. Once the
 * signal is aborted, the window in hand is left out.
 * @returns what was written
 * @throws as `extract`, and what `files` throws
 */
export async function syncTable(
  source: ExtractionSource,
  what: Pick<Extraction, "kind" | "addresses" | "decoder">,
  { missing, covered }: WindowPlan,
  files: TableFiles,
  options: SyncOptions,
): Promise<SyncProgress> {
  for (const path of covered) await files.remove(path);
  let done: SyncProgress = { rows: 0, files: 0, bytes: 0, blocks: 0 };
  for (const window of missing) {
    if (options.signal.aborted) break;
    const before = done;
    const rows = await rowsOfWindow(source, what, window, options, (found, blocks) => {
      options.onProgress({ ...before, rows: before.rows + found, blocks: before.blocks + blocks });
    });
    const day = await dayOf(source, window);
    const bytes = tableBytes(what.kind, rows, day, window);
    await files.write(windowPath(window, day), bytes, window.replaces);
    done = {
      rows: before.rows + rows.length,
      files: before.files + 1,
      bytes: before.bytes + bytes.length,
      blocks: before.blocks + window.to - window.from + 1,
    };
    options.onProgress(done);
    await options.onFile(done);
  }
  return done;
}

async function rowsOfWindow(
  source: ExtractionSource,
  what: Pick<Extraction, "kind" | "addresses" | "decoder">,
  window: PlannedWindow,
  { newest, onReorg }: SyncOptions,
  onRows: (rows: number, blocks: number) => void,
): Promise<readonly DatasetRow[]> {
  const { from, to } = window;
  const span = Math.min(longestSpan, Math.ceil((to - from + 1) / parallel));
  for (;;) {
    try {
      const rows: DatasetRow[] = [];
      for await (const batch of extract(source, { ...what, from, to, span, parallel }, newest)) {
        for (const row of batch.rows) rows.push(row);
        onRows(rows.length, batch.to - from + 1);
      }
      return rows;
    } catch (error) {
      if (!(error instanceof ReorgError)) throw error;
      source.archive?.forget();
      await onReorg(error);
    }
  }
}

/** The day of a window's first block, in UTC. */
async function dayOf({ chain }: ExtractionSource, { from }: Window): Promise<string> {
  const [block] = await chain.blocks([from]);
  const date = new Date(Number(present(block, "the patient chain has every block").timestamp) * 1000);
  // Far beyond the year 9999, dates of JavaScript have a sign.
  return date.toISOString().replace(/^\+/, "").slice(0, -"T00:00:00.000Z".length);
}

function tableBytes(
  kind: Extraction["kind"],
  rows: readonly DatasetRow[],
  day: string,
  { from, to }: Window,
): Uint8Array {
  const dataset = datasets[kind];
  const columns = [...parquetColumns(dataset), { name: "dt", type: "string" } as const];
  const values: Record<string, readonly ColumnValue[]> = {};
  for (const { name } of columns)
    values[name] = name === "dt" ? rows.map(() => day) : rows.map((row) => row[name] ?? null);
  const about = { dataset: kind, version: dataset.version, blocks: `${from}-${to}` };
  return writeParquet(columns, values, about);
}
