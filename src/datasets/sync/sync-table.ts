import { type Proofs, ProofTally } from "../extract/proofs.js";
import type { DatasetKind } from "../tables/dataset.js";
import type { TableFiles } from "./table-files.js";
import { windowPieces } from "./window-pieces.js";
import type { WindowBatch, WindowSource } from "./window-source.js";
import { type PlannedWindow, type Window, type WindowPlan, windowPath } from "./windows.js";

/** What has been written so far. */
export interface SyncProgress {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Blocks read, including those of the current file. */
  readonly blocks: number;
}

export interface SyncOptions {
  readonly signal: AbortSignal;
  onProgress(progress: SyncProgress): void;
  /**
   * Called after each file.
   * @param proofs what was proved about it
   */
  onFile(written: SyncProgress, window: Window, proofs: Proofs): Promise<void>;
}

/**
 * Writes the missing files of a folder, one by one: a file per window, even without rows. Writes rows group by group,
 * so that memory does not grow with a window. Discards the current window when the signal is aborted.
 * @returns what was written
 * @throws errors of `source` and `files`
 */
export async function syncTable(
  source: WindowSource,
  kind: DatasetKind,
  { missing, covered }: WindowPlan,
  files: TableFiles,
  options: SyncOptions,
): Promise<SyncProgress> {
  for (const path of covered) await files.remove(path);
  let done: SyncProgress = { rows: 0, files: 0, bytes: 0, blocks: 0 };
  for (const window of missing) {
    if (options.signal.aborted) break;
    const before = done;
    const written = await writeWindow(source, kind, window, files, ({ rows, blocks }) => {
      options.onProgress({ ...before, rows: before.rows + rows, blocks: before.blocks + blocks });
    });
    done = {
      rows: before.rows + written.rows,
      files: before.files + 1,
      bytes: before.bytes + written.bytes,
      blocks: before.blocks + written.blocks,
    };
    options.onProgress(done);
    await options.onFile(done, window, written.proofs);
  }
  return done;
}

interface Written {
  rows: number;
  bytes: number;
  blocks: number;
}

async function writeWindow(
  source: WindowSource,
  kind: DatasetKind,
  window: PlannedWindow,
  files: TableFiles,
  onWritten: (written: Readonly<Written>) => void,
): Promise<Readonly<Written> & { readonly proofs: Proofs }> {
  for (;;) {
    try {
      const { day, batches } = await source.open(window);
      const written: Written = { rows: 0, bytes: 0, blocks: 0 };
      const tally = new ProofTally();
      const counted = countedRows(batches, ({ rows, to, proofs }) => {
        tally.add(proofs);
        written.rows += rows.length;
        written.blocks = to - window.from + 1;
        onWritten(written);
      });
      const pieces = countedBytes(windowPieces(kind, window, { day, batches: counted }), written);
      await files.write(windowPath(window, day), pieces, window.replaces);
      return { ...written, proofs: tally.proofs };
    } catch (error) {
      await source.again(error);
    }
  }
}

/** @param onRead receives each batch once its rows are consumed */
async function* countedRows(
  batches: AsyncIterable<WindowBatch>,
  onRead: (batch: WindowBatch) => void,
): AsyncGenerator<WindowBatch, void, void> {
  for await (const batch of batches) {
    yield batch;
    onRead(batch);
  }
}

async function* countedBytes(
  pieces: AsyncIterable<Uint8Array>,
  written: Written,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of pieces) {
    written.bytes += piece.length;
    yield piece;
  }
}
