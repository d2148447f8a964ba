import type { Changes } from "../changes/net-changes.js";
import { noRows } from "../changes/rows.js";
import type { RowSchema } from "../changes/schema.js";
import { RowError, type Sink } from "../sinks/sink.js";
import type { ParkedChange, ParkedUpdate } from "../state/parked-change.js";
import type { SinkBatch } from "../state/sink-batch.js";
import { SinkError } from "../state/sink-error.js";
import { Parking, reasonOf } from "./parking.js";

export interface ParkedOutcome {
  /** Changes that were written, or dropped. */
  readonly done: readonly ParkedChange[];
  /** Changes that are still parked. */
  readonly left: readonly ParkedChange[];
}

/** Which parked changes to choose, and the current time. */
export interface ParkedChoice {
  /** Whether to choose a key's changes, judged by one of them. */
  readonly isChosen: (change: ParkedChange) => boolean;
  /** Reads a message again that could not be read. @returns what it changes in the sink, or why it still cannot be read */
  readonly reread?: (message: ParkedChange) => Promise<Changes | string>;
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/**
 * Writes parked changes, each key's in order, as far as the sink accepts them. A refused change stays parked with its
 * new reason, as do later changes of its key.
 * @throws SinkError
 */
export async function retryParked(
  sink: Sink,
  schema: RowSchema,
  choice: ParkedChoice,
): Promise<ParkedOutcome> {
  const done: ParkedChange[] = [];
  const left: ParkedChange[] = [];
  for (const changes of await chosenKeys(sink, schema, choice)) {
    const waiting = changes.filter(({ droppedAt }) => droppedAt === undefined);
    // Dropped changes no longer matter once their key is written.
    let gone = changes.filter(({ droppedAt }) => droppedAt !== undefined);
    for (const [index, change] of waiting.entries()) {
      const made = change.isUnread ? await choice.reread?.(change) : changesOf(change, schema);
      if (made === undefined) throw new Error("messages are read again where sources can be opened");
      const refused = typeof made === "string" ? made : await tryChange(sink, schema, change, made, gone);
      if (refused !== undefined) {
        const now = { ...change, reason: refused };
        await sink.write(emptyBatch(sink, schema, change, { removed: [], put: [now] }));
        left.push(now, ...waiting.slice(index + 1));
        break;
      }
      gone = [];
      done.push(change);
    }
  }
  return { done, left };
}

/**
 * Drops parked changes: their keys are no longer held back. They stay recorded as dropped until their keys are
 * written again, so that an audit knows why they are not in the sink.
 * @throws SinkError
 */
export async function dropParked(
  sink: Sink,
  schema: RowSchema,
  choice: ParkedChoice,
): Promise<ParkedOutcome> {
  const done: ParkedChange[] = [];
  for (const changes of await chosenKeys(sink, schema, choice)) {
    const dropped = changes
      .filter(({ droppedAt }) => droppedAt === undefined)
      .map((change) => ({ ...change, droppedAt: choice.now() }));
    for (const change of dropped) {
      // A message has no row that an audit would miss.
      const update = change.isUnread ? { removed: [change.number], put: [] } : { removed: [], put: [change] };
      await sink.write(emptyBatch(sink, schema, change, update));
    }
    done.push(...dropped);
  }
  return { done, left: [] };
}

/** The changes of each chosen key in order, after writing batches that an earlier run has begun. */
async function chosenKeys(
  sink: Sink,
  schema: RowSchema,
  { isChosen, now }: ParkedChoice,
): Promise<readonly (readonly ParkedChange[])[]> {
  const parking = new Parking(sink, schema, { parks: true, now });
  for (const batch of sink.unfinished ?? []) await parking.write(batch);
  return parking.keys.filter((changes) =>
    changes.some((change) => change.droppedAt === undefined && isChosen(change)),
  );
}

/** Writes what one change is. @returns why it is refused */
async function tryChange(
  sink: Sink,
  schema: RowSchema,
  change: ParkedChange,
  changes: Changes,
  gone: readonly ParkedChange[],
): Promise<string | undefined> {
  const update = { removed: [...gone, change].map(({ number }) => number), put: [] };
  try {
    await sink.write({ ...emptyBatch(sink, schema, change, update), changes });
    return undefined;
  } catch (error) {
    const [refused] = error instanceof RowError ? error.refused : [];
    if (!refused) throw error;
    return reasonOf(refused);
  }
}

function changesOf({ operation, row, before }: ParkedChange, schema: RowSchema): Changes {
  const replaced = operation === "u" ? (before ?? row) : noRows(row.columns.length);
  return { schema, operations: [operation], rows: row, overwritten: 0, replaced };
}

/** A batch that moves no position, and only updates parked changes. */
function emptyBatch(
  sink: Sink,
  schema: RowSchema,
  { source }: ParkedChange,
  parked: ParkedUpdate,
): SinkBatch {
  const position = sink.positions.get(source);
  if (!position)
    throw new SinkError(`A parked change is of source ${source}, which the sink has no position of.`, false);
  return {
    source,
    from: position.next,
    to: position.next - 1,
    changes: {
      schema,
      operations: [],
      rows: noRows(schema.columns.length),
      replaced: noRows(schema.columns.length),
      overwritten: 0,
    },
    position,
    ledger: undefined,
    parked,
  };
}
