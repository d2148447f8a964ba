import { inBackground } from "../../../base/turns/guarded.js";
import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import { joinRows } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { KeptBatch, StateStore } from "../../state/state-store.js";
import { refusedError } from "../parking/refused-error.js";
import { RowError, type Sink } from "../sink.js";
import { BegunBatches } from "./begun-batches.js";
import type { Carrier } from "./carrier.js";
import { replayedRows } from "./envelope.js";

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
  /** Whether refused rows may be parked. Each batch is sent by itself then, so that its refused rows are known. */
  readonly parks: boolean;
  readonly clock: Pick<World, "timeout">;
}

/**
 * A sink that sends its rows to a server which keeps no positions. Each batch is kept on the disk before it is sent. After a
 * crash, what may have been sent is sent again, with the numbers that it had, before anything else is.
 */
export class DeliverySink implements Sink {
  readonly positions: Positions;
  readonly unfinished: readonly SinkBatch[];
  readonly parked: readonly ParkedChange[];
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
  /** The batches that are being sent, if refused rows may be parked. */
  #begun: BegunBatches | undefined;

  constructor(options: DeliverySinkOptions) {
    this.#options = options;
    const { positions, unfinished, parked } = options.state.kept;
    this.parked = parked;
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
    const { parks, batchSize } = this.#options;
    // A batch that changes what is parked waits for no others.
    if (parks || (batch.parked && this.#owed === 0)) return this.#writeAlone(batch);
    this.#waiting.push(batch);
    this.#rows += batch.changes.rows.count;
    const isOwed = this.#owed > 0;
    if (isOwed) this.#owed -= 1;
    if (isOwed ? this.#owed === 0 : this.#rows >= batchSize) await this.#send();
    else if (!isOwed) this.#startTimer();
  }

  /** @throws SinkError; RowError for refused rows. The caller then writes the batch again without them */
  async #writeAlone(batch: SinkBatch): Promise<void> {
    if (this.#waiting.length > 0) await this.#send();
    if (!this.#begun?.has(batch)) {
      const batches = this.#owed > 0 ? this.unfinished : [batch];
      this.#owed = 0;
      const first = await this.#options.state.begin(batches);
      for (const { source, position } of batches) this.#written.set(source, position.next);
      this.#begun = new BegunBatches(batches, first, this.#options);
    }
    if (await this.#begun.write(batch)) this.#begun = undefined;
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
      this.#background = this.#send(true);
      return this.#background;
    });
    inBackground(sending, (error) => this.#fail(error));
  }

  /** @param isLate whether no caller waits who knows the batch */
  async #send(isLate = false): Promise<void> {
    this.#timer?.abort();
    this.#timer = undefined;
    const batches = this.#waiting;
    this.#waiting = [];
    this.#rows = 0;
    const { state, carrier, schema } = this.#options;
    const first = await state.begin(batches);
    for (const { source, position } of batches) this.#written.set(source, position.next);
    const rows = joinRows(
      batches.map(({ changes }) => changes.rows),
      schema.columns.length,
    );
    const operations = batches.flatMap(({ changes }) => changes.operations);
    try {
      if (rows.count > 0)
        await carrier.carry({ schema, operations, rows, first, replayed: replayedRows(batches) }, (arrived) =>
          state.arrived(first + arrived - 1),
        );
    } catch (error) {
      // The caller knows the rows of the one batch that it writes.
      if (!(error instanceof RowError) || (batches.length === 1 && !isLate)) throw error;
      throw namedError(error, batches);
    }
    await state.finish();
  }

  #batchOf({ changes, ...batch }: KeptBatch): SinkBatch {
    return { ...batch, changes: { ...changes, schema: this.#options.schema, overwritten: 0 } };
  }
}

/** The error for a row of batches that were sent together. */
function namedError(error: RowError, batches: readonly SinkBatch[]): SinkError {
  let begin = 0;
  for (const batch of batches) {
    const end = begin + batch.changes.rows.count;
    const own = error.refused.filter(({ row }) => row >= begin && row < end);
    const [first] = own;
    if (first) {
      const rows = own.map((one) => ({ ...one, row: one.row - begin }));
      return refusedError(new RowError(error.message, rows, { cause: error }), batch, true);
    }
    begin = end;
  }
  return new SinkError(error.message, false, { cause: error });
}
