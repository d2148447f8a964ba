import { noRows } from "../changes/rows.js";
import type { PlannedSink } from "../plan/flow-plan.js";
import type { Sink, StoredBatch } from "../sinks/sink.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import type { SourceBatch } from "../sources/source.js";
import { StoredReadError } from "../sql/engine.js";
import type { Parking } from "./parking.js";
import type { Program } from "./program.js";

/**
 * What a batch whose rows are stored becomes for a sink, without values of its rows in memory.
 * @param onSlower told why, if they have to be read
 * @returns `undefined` if they have to be read
 */
export async function storedBatch(
  source: string,
  { from, to, position, stored }: SourceBatch,
  program: Program,
  onSlower: (why: string) => void,
): Promise<StoredBatch | undefined> {
  if (!stored || !program.applyStored) return undefined;
  try {
    const made = await program.applyStored(source, stored.rows);
    return {
      ...{ source, from, to, stored: made },
      position: { next: position.next, open: [] },
      ledger: { from, to, rows: made.count, sum: made.sum },
    };
  } catch (error) {
    // What many rows need too much memory or time for, fewer may not. A value that cannot be computed is met again.
    if (!(error instanceof StoredReadError)) throw error;
    onSlower(`${rangeOf({ source, from, to })} are read row by row: ${error.message}`);
    return undefined;
  }
}

/**
 * Writes such a batch, and lets go of its rows. Where rows are parked, or several have the same key, each is looked at.
 * @param onSlower told why, if each is looked at for another reason
 * @returns rows that were written, and those that gave way to a later one
 * @throws SinkError
 */
export async function writeStored(
  batch: StoredBatch,
  sink: PlannedSink,
  writer: Sink,
  parking: Parking,
  onSlower: (why: string) => void,
): Promise<{ readonly rows: number; readonly overwritten: number }> {
  const { stored, ...place } = batch;
  try {
    if (stored.isUnique && parking.keys.length === 0) {
      if (await writer.storedWriting?.write(batch)) return { rows: stored.count, overwritten: 0 };
      onSlower(`${rangeOf(batch)} are written row by row, since the sink refuses some of their rows`);
    }
    const delta = { minus: noRows(sink.schema.columns.length), plus: await stored.rows() };
    const changes = sinkChanges(delta, sink);
    return { rows: await parking.write({ ...place, changes }), overwritten: changes.overwritten };
  } finally {
    await stored.drop();
  }
}

function rangeOf({ source, from, to }: Pick<StoredBatch, "source" | "from" | "to">): string {
  return `blocks ${from} to ${to} of ${source}`;
}
