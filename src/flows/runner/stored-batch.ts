import { noRows } from "../changes/rows.js";
import type { PlannedSink } from "../plan/flow-plan.js";
import type { Sink, StoredBatch } from "../sinks/sink.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import type { SourceBatch } from "../sources/source.js";
import type { Parking } from "./parking.js";
import type { Program } from "./program.js";

/**
 * What a batch whose rows are stored becomes for a sink, without values of its rows in memory.
 * @returns `undefined` if its rows have to be read
 */
export async function storedBatch(
  source: string,
  { from, to, position, stored }: SourceBatch,
  program: Program,
): Promise<StoredBatch | undefined> {
  const made = stored && (await program.applyStored?.(source, stored.query));
  if (!made) return undefined;
  return {
    ...{ source, from, to, stored: made },
    position: { next: position.next, open: [] },
    ledger: { from, to, rows: made.count, sum: made.sum },
  };
}

/**
 * Writes such a batch, and lets go of its rows. Where rows are parked, or several have the same key, each is looked at.
 * @returns rows that were written, and those that gave way to a later one
 * @throws SinkError
 */
export async function writeStored(
  batch: StoredBatch,
  sink: PlannedSink,
  writer: Sink,
  parking: Parking,
): Promise<{ readonly rows: number; readonly overwritten: number }> {
  const { stored, ...place } = batch;
  try {
    const isPlain = stored.isUnique && parking.keys.length === 0;
    if (isPlain && (await writer.storedWriting?.write(batch))) return { rows: stored.count, overwritten: 0 };
    const delta = { minus: noRows(sink.schema.columns.length), plus: await stored.rows() };
    const changes = sinkChanges(delta, sink);
    return { rows: await parking.write({ ...place, changes }), overwritten: changes.overwritten };
  } finally {
    await stored.drop();
  }
}
