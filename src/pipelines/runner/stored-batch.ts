import { ledgerEntry } from "../changes/ledger.js";
import { noRows } from "../changes/rows.js";
import type { StoredFacts } from "../changes/stored-rows.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { Sink, StoredBatch } from "../sinks/sink.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import type { SourceBatch } from "../sources/source.js";
import { StoredReadError } from "../sql/engine.js";
import type { Parking } from "./parking.js";
import type { Program } from "./program.js";

/** Rows that the SQL engine has computed. Their facts are computed when they are written, if not before. */
export type ComputedBatch = Omit<StoredBatch, "ledger">;

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
): Promise<ComputedBatch | undefined> {
  if (!stored || !program.applyStored) return undefined;
  try {
    const made = await program.applyStored(source, stored.rows);
    return { source, from, to, stored: made, position: { next: position.next, open: [] } };
  } catch (error) {
    // What many rows need too much memory or time for, fewer may not. A value that cannot be computed is met again.
    onSlower(`${rangeOf({ source, from, to })} are read row by row: ${unread(error).message}`);
    return undefined;
  }
}

/**
 * As `storedBatch`, and finds out as well what the rows are together. Where batches are computed side by side, that leaves
 * little to be done in turn.
 */
export async function knownBatch(
  ...asked: Parameters<typeof storedBatch>
): Promise<ComputedBatch | undefined> {
  const computed = await storedBatch(...asked);
  // The writer of the batch meets the failure again.
  await computed?.stored.facts().catch(() => undefined);
  return computed;
}

/**
 * Writes such a batch, and releases its rows. If rows are parked, or several have the same key, looks at each row.
 * @param onSlower gets the reason, if each row is looked at for another reason, or the sink writes them in a slower
 * way
 * @returns the rows written, and the rows that gave way to a later one
 * @throws SinkError
 */
export async function writeStored(
  batch: ComputedBatch,
  sink: PlannedSink,
  writer: Sink,
  parking: Parking,
  onSlower: (why: string) => void,
): Promise<{ readonly rows: number; readonly overwritten: number }> {
  const { stored, ...place } = batch;
  const { from, to } = batch;
  const slower = (why: string): void => onSlower(`${rangeOf(batch)} are written row by row: ${why}`);
  try {
    const facts = await stored.facts().catch((error: unknown): StoredFacts | undefined => {
      slower(unread(error).message);
      return undefined;
    });
    if (facts?.isUnique && parking.keys.length === 0) {
      const ledger = { from, to, rows: facts.count, sum: facts.sum };
      const told = (why: string): void => onSlower(`${rangeOf(batch)} ${why}`);
      if (await writer.storedWriting?.write({ ...batch, ledger }, told))
        return { rows: facts.count, overwritten: 0 };
      slower("the sink refuses some of their rows");
    }
    const delta = { minus: noRows(sink.schema.columns.length), plus: await stored.rows() };
    const changes = sinkChanges(delta, sink);
    const rows = await parking.write({ ...place, ledger: ledgerEntry(from, to, delta), changes });
    return { rows, overwritten: changes.overwritten };
  } finally {
    await stored.drop();
  }
}

/** An error of rows that another way can read. @throws every other */
function unread(error: unknown): StoredReadError {
  if (error instanceof StoredReadError) return error;
  throw error;
}

function rangeOf({ source, from, to }: Pick<StoredBatch, "source" | "from" | "to">): string {
  return `blocks ${from} to ${to} of ${source}`;
}
