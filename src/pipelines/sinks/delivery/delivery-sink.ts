import { inBackground } from "../../../base/turns/guarded.js";
import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import { hashesOfRows } from "../../changes/row-hash.js";
import { joinRows, pickRows } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { KeptBatch, StateStore } from "../../state/state-store.js";
import { RowError, type Sink } from "../sink.js";
import type { Carrier } from "./carrier.js";

/** Milliseconds of a day; timers cannot wait much longer. */
const longestWait = 86_400_000;

/** What a sink that sends its rows consists of. */
export interface DeliverySinkOptions {
  readonly state: StateStore;
  readonly carrier: Carrier;
  readonly schema: RowSchema;
  /** Rows from which on they are sent. */
  readonly batchSize: number;
  /** The longest time, in milliseconds, that rows wait for others. */
  readonly flushInterval: number;
  /** Whether rows of several batches are sent together; if not, a refused row is known to be of the batch just written. */
  readonly gathers: boolean;
  readonly clock: Pick<World, "timeout">;
}

/**
 * A sink that sends its rows to a server which keeps no positions. Each batch is kept on the disk before it is sent. After a
 * crash, what may have been sent is sent again, with the numbers that it had, before anything else is.
 */
export class DeliverySink implements Sink {
  readonly positions: Positions;
  readonly unfinished: readonly SinkBatch[];
  readonly failure: Promise<never>;
  readonly #options: DeliverySinkOptions;
  #fail: (error: unknown) => void = () => undefined;
  #waiting: SinkBatch[] = [];
  /** The positions on the disk. */
  readonly #written = new Map<string, number>();
  #rows = 0;
  /** Unfinished batches that have not been written again. */
  #owed: number;
  #timer: AbortController | undefined;
  /** What the timer has sent. */
  #background: Promise<void> = Promise.resolve();
  /** A batch some of whose rows were refused, and how many of its rows had arrived before. */
  #refused: { readonly batch: SinkBatch; readonly arrived: number } | undefined;

  constructor(options: DeliverySinkOptions) {
    this.#options = options;
    const { positions, unfinished } = options.state.kept;
    const after = new Map(positions);
    for (const { source, position } of unfinished) after.set(source, position);
    this.positions = after;
    this.unfinished = unfinished.map((batch) => this.#batchOf(batch));
    this.#owed = unfinished.length;
    this.failure = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failure.catch(() => undefined);
  }

  async write(batch: SinkBatch): Promise<void> {
    await this.#settled();
    this.#waiting.push(batch);
    this.#rows += batch.changes.rows.count;
    const { gathers, batchSize } = this.#options;
    const isOwed = this.#owed > 0;
    if (isOwed) this.#owed -= 1;
    const isDue = isOwed ? this.#owed === 0 : this.#rows >= batchSize;
    if (isDue || !gathers) await this.#send();
    else if (!isOwed) this.#startTimer();
  }

  written(source: string): number | undefined {
    return this.#written.get(source);
  }

  async end(): Promise<void> {
    await this.#settled();
    if (this.#waiting.length > 0) await this.#send();
  }

  async forget(): Promise<void> {
    await this.#options.state.forget();
  }

  /** What waits is not sent: it is read again by the next run. */
  async close(): Promise<void> {
    this.#timer?.abort();
    // Its error is in `failure`.
    await this.#background.catch(() => undefined);
    await this.#options.state.close();
  }

  /** Waits until the timer sends nothing, also if it has begun during the wait. @throws what that has thrown */
  async #settled(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#background; ) {
      seen = this.#background;
      await seen;
    }
  }

  #startTimer(): void {
    if (this.#timer) return;
    const timer = new AbortController();
    this.#timer = timer;
    const pause = Math.min(this.#options.flushInterval, longestWait);
    const sending = wait(pause, this.#options.clock, timer.signal).then(() => {
      if (timer.signal.aborted) return undefined;
      this.#background = this.#send();
      return this.#background;
    });
    inBackground(sending, (error) => this.#fail(error));
  }

  async #send(): Promise<void> {
    this.#timer?.abort();
    this.#timer = undefined;
    const batches = this.#waiting;
    this.#waiting = [];
    this.#rows = 0;
    const { state, carrier, schema } = this.#options;
    const rest = batches.map((batch) => this.#withoutArrived(batch));
    const already = this.#refused?.arrived ?? 0;
    const first = await state.begin(rest);
    for (const { source, position } of batches) this.#written.set(source, position.next);
    const rows = joinRows(
      rest.map(({ changes }) => changes.rows),
      schema.columns.length,
    );
    const operations = rest.flatMap(({ changes }) => changes.operations);
    let count = 0;
    try {
      if (rows.count > 0)
        await carrier.carry(
          { schema, operations, rows, first, replayed: replayedRows(rest) },
          async (arrived) => {
            count = arrived;
            await state.arrived(first + arrived - 1);
          },
        );
    } catch (error) {
      throw this.#rowErrorOf(error, batches, already, count);
    }
    this.#refused = undefined;
    await state.finish();
  }

  /** Rows are refused by their place in the one batch that was written. */
  #rowErrorOf(error: unknown, batches: readonly SinkBatch[], already: number, arrived: number): unknown {
    if (!(error instanceof RowError)) return error;
    const [batch, ...others] = batches;
    if (!batch || others.length > 0) return new SinkError(error.message, false, { cause: error });
    this.#refused = { batch, arrived: already + arrived };
    return new RowError(
      error.message,
      error.rows.map((row) => already + row),
      { cause: error },
    );
  }

  /** A batch without the rows that had arrived before another one of it was refused. */
  #withoutArrived(batch: SinkBatch): SinkBatch {
    const { batch: refused, arrived = 0 } = this.#refused ?? {};
    if (arrived === 0 || refused?.source !== batch.source || refused.from !== batch.from) return batch;
    const { operations, rows } = batch.changes;
    const rest = Array.from({ length: rows.count - arrived }, (_, index) => arrived + index);
    const changes = {
      ...batch.changes,
      operations: operations.slice(arrived),
      rows: pickRows(rows, rest),
    };
    return { ...batch, changes };
  }

  #batchOf({ changes, ...batch }: KeptBatch): SinkBatch {
    return { ...batch, changes: { ...changes, schema: this.#options.schema, overwritten: 0 } };
  }
}

/** The hash of each row of a replay, by its index among the rows of all batches. */
function replayedRows(batches: readonly SinkBatch[]): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  let index = 0;
  for (const { changes, isReplay } of batches) {
    if (isReplay)
      for (const [row, hash] of hashesOfRows(changes.rows).entries())
        hashes.set(index + row, hash.toString(16).padStart(32, "0"));
    index += changes.rows.count;
  }
  return hashes;
}
