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
 * Computes a sink's batch from stored rows, without their values in memory.
 * @param onSlower receives the reason if the rows must be read after a failure
 * @param most rows that the sink takes
 * @returns `undefined` if they must be read
 */
export async function storedBatch(
  source: string,
  { from, to, position, stored }: SourceBatch,
  program: Program,
  onSlower: (why: string) => void,
  most = Number.POSITIVE_INFINITY,
): Promise<ComputedBatch | undefined> {
  if (!stored || !program.applyStored) return undefined;
  try {
    const made = await program.applyStored(source, stored.rows);
    if (made.count > most) {
      await made.drop();
      return undefined;
    }
    return { source, from, to, stored: made, position: { next: position.next, open: [] } };
  } catch (error) {
    // If many rows need too much memory or time, fewer may not. A value that cannot be computed fails again.
    onSlower(`${rangeOf({ source, from, to })} are read row by row: ${unread(error).message}`);
    return undefined;
  }
}

/**
 * Like `storedBatch`, but also computes the facts about the rows. When batches are computed side by side, this leaves
 * little sequential work.
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
 * Writes such a batch, and releases its rows. Reads each row if rows are parked, or if several have the same key.
 * @param onSlower receives the reason if each row is read for another reason, or if the sink writes them in a slower
 * way
 * @returns the number of rows written, and of rows that a later one replaced
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
