import { present } from "../../base/invariant.js";
import { ReorgError } from "../../runtime/chain/chain.js";
import { extract } from "../extract/extract.js";
import type { Extraction, ExtractionSource } from "../extract/extraction.js";
import { Pace } from "../extract/pace.js";
import { ParquetPieces } from "../parquet/write-parquet.js";
import { parquetColumns } from "../tables/dataset.js";
import { datasets } from "../tables/datasets.js";
import { RowGroup } from "./row-group.js";
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

/**
 * Writes the files that a folder lacks, one after another: for each window one file, also when it has no rows. Rows are
 * written group by group, so that memory does not grow with the rows of a window. Once the signal is aborted, the window in
 * hand is left out.
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
  const extraction = { ...what, pace: new Pace() };
  let done: SyncProgress = { rows: 0, files: 0, bytes: 0, blocks: 0 };
  for (const window of missing) {
    if (options.signal.aborted) break;
    const before = done;
    const written = await writeWindow(source, extraction, window, files, options, ({ rows, blocks }) => {
      options.onProgress({ ...before, rows: before.rows + rows, blocks: before.blocks + blocks });
    });
    done = {
      rows: before.rows + written.rows,
      files: before.files + 1,
      bytes: before.bytes + written.bytes,
      blocks: before.blocks + written.blocks,
    };
    options.onProgress(done);
    await options.onFile(done);
  }
  return done;
}

type WindowExtraction = Pick<Extraction, "kind" | "addresses" | "decoder" | "pace">;

/** What was written of a window. */
interface Written {
  rows: number;
  bytes: number;
  blocks: number;
}

async function writeWindow(
  source: ExtractionSource,
  what: WindowExtraction,
  window: PlannedWindow,
  files: TableFiles,
  { newest, onReorg }: SyncOptions,
  onWritten: (written: Readonly<Written>) => void,
): Promise<Readonly<Written>> {
  for (;;) {
    try {
      const day = await dayOf(source, window);
      const written: Written = { rows: 0, bytes: 0, blocks: 0 };
      const pieces = piecesOf(source, what, window, day, newest, written, onWritten);
      await files.write(windowPath(window, day), pieces, window.replaces);
      return written;
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

/** The pieces of a window's file. @param written is brought up to date */
async function* piecesOf(
  source: ExtractionSource,
  what: WindowExtraction,
  { from, to }: Window,
  day: string,
  newest: number,
  written: Written,
  onWritten: (written: Readonly<Written>) => void,
): AsyncGenerator<Uint8Array, void, void> {
  const dataset = datasets[what.kind];
  const columns = [...parquetColumns(dataset), { name: "dt", type: "string" } as const];
  const about = { dataset: what.kind, version: dataset.version, blocks: `${from}-${to}` };
  const file = new ParquetPieces(columns, about);
  const group = new RowGroup(columns, { dt: day });
  const counted = (piece: Uint8Array): Uint8Array => {
    written.bytes += piece.length;
    return piece;
  };
  const span = Math.ceil((to - from + 1) / parallel);
  for await (const batch of extract(source, { ...what, from, to, span, parallel }, newest)) {
    for (const row of batch.rows) {
      group.add(row);
      if (group.isFull) yield counted(file.add(group.take()));
    }
    written.rows += batch.rows.length;
    written.blocks = batch.to - from + 1;
    onWritten(written);
  }
  yield counted(file.add(group.take()));
  yield counted(file.finish());
}
