import { netChanges } from "../changes/net-changes.js";
import type { PlannedSink } from "../plan/flow-plan.js";
import type { Sink } from "../sinks/sink.js";
import type { Source, SourceBatch } from "../sources/source.js";
import { mergeBatches } from "./merge-batches.js";
import type { Program } from "./program.js";

/** What is told of a sink while it is written. */
export interface SinkProgress {
  /** Rows that were written, deletions included. */
  readonly rows: number;
  /** The last block of each source that was written. */
  readonly blocks: ReadonlyMap<string, number>;
  /** Rows that gave way to a later row with the same key. */
  readonly overwritten: number;
}

/**
 * Reads the sources that lead to a sink, from where the sink has them, and writes what comes of them. It ends when all
 * sources have ended, or once the signal is aborted.
 * @param open opens a source by its name
 * @throws SinkError, QueryError, and what sources throw
 */
export async function runSink(
  sink: PlannedSink,
  writer: Sink,
  program: Program,
  open: (source: string) => Source,
  {
    signal,
    onProgress,
  }: { readonly signal: AbortSignal; readonly onProgress: (progress: SinkProgress) => void },
): Promise<SinkProgress> {
  const streams = new Map<string, AsyncIterable<SourceBatch>>();
  for (const { name } of program.sources) streams.set(name, open(name).batches(writer.positions.get(name)));
  const blocks = new Map<string, number>();
  let progress: SinkProgress = { rows: 0, blocks, overwritten: 0 };
  for await (const { name, batch } of mergeBatches(streams)) {
    const { from, to, position, delta } = batch;
    const changes = netChanges(await program.apply(name, delta), sink.schema);
    await writer.write({ source: name, from, to, changes, position });
    blocks.set(name, position.next - 1);
    progress = {
      rows: progress.rows + changes.rows.count,
      blocks,
      overwritten: progress.overwritten + changes.overwritten,
    };
    onProgress(progress);
    if (signal.aborted) return progress;
  }
  for (const [name, block] of blocks) await writer.end?.(name, block + 1);
  return progress;
}
