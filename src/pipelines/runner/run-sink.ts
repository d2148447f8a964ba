import type { Delta } from "../changes/delta.js";
import { ledgerEntry, uncountedEntry } from "../changes/ledger.js";
import { noRows } from "../changes/rows.js";
import { placesOf } from "../changes/source-parts.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { Sink } from "../sinks/sink.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import type { Source, SourceBatch, StoredLimits } from "../sources/source.js";
import type { SinkBatch, WrittenBlock } from "../state/sink-batch.js";
import { begunBatches } from "./begun-batches.js";
import { appliedNamed } from "./faulty-row.js";
import { Parking, type ParkingRules } from "./parking.js";
import type { Program } from "./program.js";
import { handOut, type RowTap } from "./row-tap.js";
import { type ComputedBatch, knownBatch, storedBatch, writeStored } from "./stored-batch.js";

/** A batch of one of several streams. */
interface NamedBatch<T> {
  readonly name: string;
  readonly batch: T;
}

/** The result of reading a stream. */
type Answer<T> =
  | { readonly kind: "result"; readonly name: string; readonly result: IteratorResult<T> }
  | { readonly kind: "failed"; readonly error: unknown };

/** The progress of a sink while it is written. */
export interface SinkProgress {
  /** Rows that were written, deletions included. */
  readonly rows: number;
  /** The last block of each source that was written. */
  readonly blocks: ReadonlyMap<string, number>;
  /** Rows that gave way to a later row with the same key. */
  readonly overwritten: number;
  /** The number of parked changes: the sink has refused them or another one of the same key. */
  readonly parked: number;
  /** How many keys no lookup has found; absent if nothing is looked up. */
  readonly misses?: number | undefined;
}

export interface SinkRun {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SinkProgress) => void;
  /** Called once a source's batch is written completely. */
  readonly onWritten?: (source: string) => void;
  /** Called for each batch that was written. @param began when its writing began, as the rules' clock says */
  readonly onBatch?: ((rows: number, began: number) => void) | undefined;
  /** How to treat rows that the sink refuses; by default, it halts. */
  readonly parking?: ParkingRules;
  /** Shows the rows that go into the sink; absent without viewers. */
  readonly tap?: RowTap | undefined;
  /** Called when rows are written the slower way after a failure, with the reason. */
  readonly onSlower?: ((why: string) => void) | undefined;
}

/** By default, nothing is parked, so the time is never needed. */
const noParking: ParkingRules = { parks: false, now: () => 0 };

/**
 * Reads a sink's sources from the sink's position, and writes the results. Ends when all sources have ended, or once
 * the signal is aborted.
 * @param open opens a source by name
 * @throws SinkError, QueryError, and errors of sources
 */
export async function runSink(
  sink: PlannedSink,
  writer: Sink,
  program: Program,
  open: (source: string) => Source,
  {
    signal,
    onProgress,
    onWritten,
    onBatch,
    parking: rules = noParking,
    tap,
    onSlower = () => undefined,
  }: SinkRun,
): Promise<SinkProgress> {
  const streams = new Map<string, AsyncIterable<SourceBatch>>();
  const sources = new Map<string, Source>();
  /** For each source, the blocks that may be undone, with the rows that they became. */
  const written = new Map<string, readonly WrittenBlock[]>();
  for (const { name } of program.sources) {
    const position = writer.positions.get(name);
    const source = open(name);
    sources.set(name, source);
    const parts = placesOf(name, writer.positions.keys()).flatMap((part) => {
      const kept = writer.positions.get(part);
      return kept ? [[part, kept] as const] : [];
    });
    const limits = {
      blocks: writer.mostBlocks,
      rows: writer.mostRows,
      stored: storedLimits(program, writer),
    };
    streams.set(name, source.batches(position, limits, new Map(parts)));
    written.set(name, position?.open ?? []);
  }
  const blocks = new Map<string, number>();
  const next = new Map<string, number>();
  const parking = new Parking(writer, sink.schema, rules);
  let progress: SinkProgress = { rows: 0, blocks, overwritten: 0, parked: parking.count };
  const write = async (made: SinkBatch | ComputedBatch, block: number | null): Promise<void> => {
    const began = rules.now();
    const room = "stored" in made ? undefined : tap?.room(sink.name, sink.name);
    if (tap && room !== undefined && "changes" in made) handOut(tap, sink.name, made.changes, room);
    const { rows, overwritten } =
      "stored" in made
        ? await writeStored(made, sink, writer, parking, onSlower)
        : { rows: await parking.write(made), overwritten: made.changes.overwritten };
    onBatch?.(rows, began);
    next.set(made.source, made.position.next);
    for (const [name, source] of sources) confirm(name, source, writer, next);
    if (block !== null) blocks.set(made.source, block);
    progress = {
      rows: progress.rows + rows,
      blocks: new Map(blocks),
      overwritten: progress.overwritten + overwritten,
      parked: parking.count,
      misses: program.misses,
    };
  };
  for (const made of writer.unfinished ?? []) await write(made, null);
  if (next.size > 0) onProgress(progress);
  const failure = raised();
  writer.failure?.catch(failure.raise);
  // The next batch is read and computed while one is written.
  let writing = Promise.resolve();
  const mostStored = writer.storedWriting?.mostRows;
  try {
    const begin = ({
      name,
      batch,
    }: NamedBatch<SourceBatch>): Promise<ComputedBatch | undefined> | undefined =>
      batch.stored && (program.storedAtOnce ?? 1) > 1
        ? knownBatch(name, batch, program, onSlower, mostStored)
        : undefined;
    const batches = begunBatches(mergeBatches(streams, failure.promise), begin);
    for await (const {
      batch: { name, batch },
      made: begun,
    } of batches) {
      const open = (): readonly WrittenBlock[] => written.get(name) ?? [];
      for await (const { made, block } of madeOf(
        name,
        batch,
        begun,
        open,
        sink,
        program,
        onSlower,
        mostStored,
      )) {
        written.set(name, made.position.open);
        await writing;
        if (signal.aborted) return progress;
        writing = write(made, block).then(() => onProgress(progress));
        writing.catch(failure.raise);
      }
      writing = writing.then(() => onWritten?.(name));
      writing.catch(failure.raise);
    }
    await writing;
  } finally {
    // The sink must not be closed during a write.
    await writing.catch(() => undefined);
  }
  if (signal.aborted) return progress;
  for (const [name, position] of next) await writer.end?.(name, position);
  for (const [name, source] of sources) {
    confirm(name, source, writer, next);
    await source.finish?.();
  }
  return progress;
}

/** How much a batch of stored rows may have; `undefined` if the rows of all batches have to be read. */
function storedLimits(
  { applyStored, mostStored }: Program,
  { storedWriting }: Sink,
): StoredLimits | undefined {
  if (!applyStored || !storedWriting) return undefined;
  const { rows, blocks } = storedWriting.limits;
  return { rows: Math.min(rows, mostStored ?? rows), blocks };
}

/** Confirms a sink's position to a source. @param last the end of the last batch that each source has delivered */
function confirm(name: string, source: Source, writer: Sink, last: ReadonlyMap<string, number>): void {
  const written = writer.written ? writer.written(name) : last.get(name);
  if (written !== undefined) source.confirm?.(written);
}

/** A promise that rejects once an error is raised, wherever it is. */
function raised(): { readonly promise: Promise<never>; readonly raise: (error: unknown) => void } {
  let raise: (error: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    raise = reject;
  });
  // Callers may wait for this promise, but need not.
  promise.catch(() => undefined);
  return { promise, raise };
}

/** The sink's batch for a batch of a source, and the block that it leads to. */
interface Made {
  readonly made: SinkBatch | ComputedBatch;
  readonly block: number | null;
}

/**
 * Computes a sink's batch from a source's batch: one, or several parts if its stored rows must be read.
 * @param begun the computation of its stored rows, if it has begun
 */
async function* madeOf(
  source: string,
  batch: SourceBatch,
  begun: Promise<ComputedBatch | undefined> | undefined,
  written: () => readonly WrittenBlock[],
  sink: PlannedSink,
  program: Program,
  onSlower: (why: string) => void,
  mostStored: number | undefined,
): AsyncGenerator<Made, void, void> {
  const { stored, position, block = position.next - 1 } = batch;
  const made = stored
    ? await (begun ?? storedBatch(source, batch, program, onSlower, mostStored))
    : await sinkBatch(source, batch, written(), sink, program);
  if (made) yield { made, block };
  else if (stored)
    for await (const part of stored.read())
      yield* madeOf(source, part, undefined, written, sink, program, onSlower, mostStored);
}

/** Computes a sink's batch from a source's batch. */
async function sinkBatch(
  source: string,
  { from, to, isUndone, delta, position, unread, part = source }: SourceBatch,
  written: readonly WrittenBlock[],
  sink: PlannedSink,
  program: Program,
): Promise<SinkBatch> {
  const hash = position.open.find(({ number }) => number === to)?.hash;
  const place = { from, to, hash };
  const result = isUndone ? undoing(written, sink) : await appliedNamed(program, source, delta, place);
  const isUncounted = program.sources.find(({ name }) => name === source)?.replaces === true;
  const entry = isUncounted ? uncountedEntry : ledgerEntry;
  const kept = new Map(written.map((block) => [block.hash, block.rows]));
  const open = position.open.map((block) => ({ ...block, rows: kept.get(block.hash) ?? result.plus }));
  return {
    source: part,
    from,
    to,
    changes: sinkChanges(result, sink),
    position: { next: position.next, open },
    ledger: isUndone ? undefined : entry(from, to, result),
    ...(unread && { unread }),
  };
}

/** Deletes the recorded rows of the last block, regardless of what its rows would become now. */
function undoing(written: readonly WrittenBlock[], { schema }: PlannedSink): Delta {
  const nothing = noRows(schema.columns.length);
  return { minus: written.at(-1)?.rows ?? nothing, plus: nothing };
}

/**
 * Merges the batches of several streams as they arrive. The next batch of each stream is read while the current one
 * is processed.
 * @param failure ends the streams with its error when it rejects
 */
async function* mergeBatches<T>(
  streams: ReadonlyMap<string, AsyncIterable<T>>,
  failure?: Promise<never>,
): AsyncGenerator<NamedBatch<T>, void, void> {
  const iterators = new Map([...streams].map(([name, stream]) => [name, stream[Symbol.asyncIterator]()]));
  const answers: Answer<T>[] = [];
  let wake: () => void = () => undefined;
  const answer = (one: Answer<T>): void => {
    answers.push(one);
    wake();
  };
  const fail = (error: unknown): void => answer({ kind: "failed", error });
  failure?.catch(fail);
  let open = 0;
  const ask = (name: string, iterator: AsyncIterator<T>): void => {
    open += 1;
    iterator.next().then((result) => answer({ kind: "result", name, result }), fail);
  };
  try {
    for (const [name, iterator] of iterators) ask(name, iterator);
    while (open > 0) {
      const next = answers.shift();
      if (!next) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (next.kind === "failed") throw next.error;
      open -= 1;
      const { name, result } = next;
      if (result.done) continue;
      const iterator = iterators.get(name);
      if (iterator) ask(name, iterator);
      yield { name, batch: result.value };
    }
  } finally {
    // Not awaited: a stream that waits for its node ends when the node answers.
    for (const iterator of iterators.values()) void iterator.return?.().catch(() => undefined);
  }
}
