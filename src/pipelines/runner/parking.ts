import { invariant } from "../../base/invariant.js";
import { visible } from "../../base/text/visible.js";
import type { Operation } from "../changes/net-changes.js";
import { pickChanges, replacedIndexes } from "../changes/pick-changes.js";
import { pickRows, type Rows, textOfRow } from "../changes/rows.js";
import type { RowSchema } from "../changes/schema.js";
import { refusedError } from "../sinks/parking/refused-error.js";
import { type RefusedRow, RowError, type Sink } from "../sinks/sink.js";
import type { UnreadMessage } from "../sources/source.js";
import { keyIndexes, keyOf, type ParkedChange, type ParkedUpdate } from "../state/parked-change.js";
import type { SinkBatch } from "../state/sink-batch.js";
import { SinkError } from "../state/sink-error.js";
import type { RefusedChange } from "./dead-letters.js";

/** How to treat rows that a sink refuses. */
export interface ParkingRules {
  /** Whether to park them; otherwise the sink halts. */
  readonly parks: boolean;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Called with refused changes before they are parked. They are not parked if it fails. */
  onRefused?(refused: readonly RefusedChange[]): Promise<void>;
}

/** The most changes to park. Beyond this, something is wrong with the table rather than with its rows. */
const most = 10_000;

/** A batch without the parked changes, and the changes that are parked once it is written. */
interface Attempt {
  readonly batch: SinkBatch;
  /** For each row of the batch, its index before parked changes were removed. */
  readonly rows: readonly number[];
  /** The changes of keys that are not as before. */
  readonly touched: ReadonlyMap<string, readonly ParkedChange[]>;
}

/**
 * Parks changes that a sink refuses. Later changes of the same key wait behind them, in order; changes of other keys
 * are written. Parked changes are written with the position, so that neither is lost without the other.
 */
export class Parking {
  readonly #sink: Sink;
  readonly #schema: RowSchema;
  readonly #rules: ParkingRules;
  readonly #key: readonly number[];
  /** The changes of each key, in order. Dropped ones come first. */
  readonly #changes = new Map<string, readonly ParkedChange[]>();
  #last = 0;

  constructor(sink: Sink, schema: RowSchema, rules: ParkingRules) {
    this.#sink = sink;
    this.#schema = schema;
    this.#rules = rules;
    this.#key = keyIndexes(schema);
    for (const change of sink.parked ?? []) {
      const key = keyOf(change, schema);
      this.#changes.set(key, [...(this.#changes.get(key) ?? []), change]);
      this.#last = Math.max(this.#last, change.number);
    }
  }

  /** The number of changes that are still to be written. */
  get count(): number {
    let count = 0;
    for (const changes of this.#changes.values()) count += changes.filter(isWaiting).length;
    return count;
  }

  /** The changes of each key, in order. */
  get keys(): readonly (readonly ParkedChange[])[] {
    return [...this.#changes.values()];
  }

  /**
   * Writes a batch without the changes that are parked.
   * @returns the number of written rows
   * @throws SinkError, also for a refused row that must not be parked
   */
  async write(batch: SinkBatch): Promise<number> {
    if (batch.parked && batch.from > batch.to) return this.#writeRetried(batch, batch.parked);
    const { unread = [] } = batch;
    invariant(
      unread.length === 0 || this.#sink.parked,
      "a plan refuses sinks that cannot keep messages aside",
    );
    if (this.count + unread.length > most) throw tooManyMessages(batch);
    if (unread.length > 0)
      await this.#rules.onRefused?.(
        unread.map((one) => ({ refused: { row: -1, why: one.why }, change: this.#unreadChange(batch, one) })),
      );
    const refused = new Map<number, RefusedRow>();
    for (;;) {
      const attempt = this.#attempt(batch, refused);
      try {
        await this.#sink.write(attempt.batch);
      } catch (error) {
        if (!(error instanceof RowError) || error.refused.length === 0) throw error;
        if (!this.#rules.parks || !this.#sink.parked)
          throw refusedError(error, attempt.batch, this.#sink.parked !== undefined);
        const fresh = error.refused
          .map((one) => ({ ...one, row: attempt.rows[one.row] ?? one.row }))
          .filter(({ row }) => !refused.has(row));
        for (const one of fresh) refused.set(one.row, one);
        if (fresh.length === 0) throw error;
        if (this.count + refused.size > most) throw tooMany(error);
        await this.#rules.onRefused?.(fresh.map((one) => this.#refusedChange(batch, one)));
        continue;
      }
      for (const [key, changes] of attempt.touched) this.#keep(key, changes);
      return attempt.batch.changes.rows.count;
    }
  }

  /**
   * Completes a retry of parked changes that an earlier run has begun. They come before all that wait behind them. If one
   * is refused again, they stay parked.
   */
  async #writeRetried(batch: SinkBatch, { removed, put }: ParkedUpdate): Promise<number> {
    try {
      await this.#sink.write(batch);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      const { parked: _, ...given } = batch;
      await this.#sink.write({ ...given, changes: pickChanges(batch.changes, []) });
      return 0;
    }
    const made = new Shelf(this.#changes, this.#last);
    for (const change of put) made.replace(keyOf(change, this.#schema), change);
    made.remove(removed);
    for (const [key, changes] of made.touched) this.#keep(key, changes);
    return batch.changes.rows.count;
  }

  #keep(key: string, changes: readonly ParkedChange[]): void {
    if (changes.length === 0) this.#changes.delete(key);
    else this.#changes.set(key, changes);
    for (const { number } of changes) this.#last = Math.max(this.#last, number);
  }

  #attempt({ unread = [], ...batch }: SinkBatch, refused: ReadonlyMap<number, RefusedRow>): Attempt {
    const all = Array.from({ length: batch.changes.rows.count }, (_, row) => row);
    if (!batch.parked && this.#changes.size === 0 && refused.size === 0 && unread.length === 0)
      return { batch, rows: all, touched: new Map() };
    const made = new Shelf(this.#changes, this.#last);
    for (const change of batch.parked?.put ?? []) made.replace(keyOf(change, this.#schema), change);
    made.remove(batch.parked?.removed ?? []);
    for (const message of unread) {
      const change = this.#unreadChange(batch, message);
      made.park(keyOf(change, this.#schema), change);
    }
    const places = replacedIndexes(batch.changes, all);
    const rows = all.filter((row) => {
      const key = textOfRow(batch.changes.rows, row, this.#key);
      const before = made.of(key);
      const why = refused.get(row);
      if (before.length === 0 && !why) return true;
      const change = this.#change(batch, row, places[row]);
      const undone = why ? undefined : before.findLast(({ source }) => source === change.source);
      if (undone && undoes(change, undone)) {
        made.set(
          key,
          before.filter((one) => one !== undone),
        );
        return false;
      }
      if (before.some(isWaiting) || why) {
        made.park(key, { ...change, reason: why && reasonOf(why) });
        return false;
      }
      // Dropped changes no longer matter once the current row is written.
      made.set(key, []);
      return true;
    });
    const changes = rows.length === all.length ? batch.changes : pickChanges(batch.changes, rows);
    return { batch: { ...batch, changes, parked: made.update }, rows, touched: made.touched };
  }

  #refusedChange(batch: SinkBatch, refused: RefusedRow): RefusedChange {
    const [replaced] = replacedIndexes(batch.changes, [refused.row]);
    return { refused, change: this.#change(batch, refused.row, replaced) };
  }

  #unreadChange({ source }: Pick<SinkBatch, "source">, { offset, why }: UnreadMessage): ParkedChange {
    const columns = this.#schema.columns.map(() => [null]);
    return {
      number: 0,
      source,
      from: offset,
      to: offset,
      before: undefined,
      operation: "i",
      row: { count: 1, columns },
      isUnread: true,
      reason: why,
      at: this.#rules.now(),
      droppedAt: undefined,
    };
  }

  #change({ source, from, to, changes }: SinkBatch, row: number, replaced: number | undefined): ParkedChange {
    const before =
      changes.replaced && replaced !== undefined ? pickRows(changes.replaced, [replaced]) : undefined;
    return {
      number: 0,
      source,
      from,
      to,
      before,
      operation: changes.operations[row] ?? "i",
      row: pickRows(changes.rows, [row]),
      reason: undefined,
      at: this.#rules.now(),
      droppedAt: undefined,
    };
  }
}

/** Parked changes while a batch is tried. */
class Shelf {
  readonly #before: ReadonlyMap<string, readonly ParkedChange[]>;
  readonly touched = new Map<string, readonly ParkedChange[]>();
  #last: number;

  constructor(before: ReadonlyMap<string, readonly ParkedChange[]>, last: number) {
    this.#before = before;
    this.#last = last;
  }

  of(key: string): readonly ParkedChange[] {
    return this.touched.get(key) ?? this.#before.get(key) ?? [];
  }

  set(key: string, changes: readonly ParkedChange[]): void {
    this.touched.set(key, changes);
  }

  park(key: string, change: ParkedChange): void {
    this.#last += 1;
    this.set(key, [...this.of(key), { ...change, number: this.#last }]);
  }

  /** Replaces the change with the same number, or adds one at the end. */
  replace(key: string, change: ParkedChange): void {
    const before = this.of(key);
    this.#last = Math.max(this.#last, change.number);
    const isThere = before.some(({ number }) => number === change.number);
    this.set(
      key,
      isThere ? before.map((one) => (one.number === change.number ? change : one)) : [...before, change],
    );
  }

  remove(numbers: readonly number[]): void {
    if (numbers.length === 0) return;
    const gone = new Set(numbers);
    for (const [key, changes] of [...this.#before, ...this.touched])
      if (changes.some(({ number }) => gone.has(number)))
        this.set(
          key,
          this.of(key).filter(({ number }) => !gone.has(number)),
        );
  }

  /** How parked changes differ from before. */
  get update(): { readonly removed: readonly number[]; readonly put: readonly ParkedChange[] } {
    const removed: number[] = [];
    const put: ParkedChange[] = [];
    for (const [key, changes] of this.touched) {
      const before = this.#before.get(key) ?? [];
      put.push(...changes.filter((one) => !before.includes(one)));
      for (const { number } of before)
        if (!changes.some((one) => one.number === number)) removed.push(number);
    }
    return { removed, put };
  }
}

function isWaiting({ droppedAt }: ParkedChange): boolean {
  return droppedAt === undefined;
}

/** Why a row was refused, with its column. */
export function reasonOf({ why, column }: RefusedRow): string {
  return column === undefined ? why : `column ${column}: ${why}`;
}

const opposites: Readonly<Record<Operation, Operation>> = { i: "d", d: "i", u: "u" };

/** Whether a change reverts another one. */
function undoes(change: ParkedChange, other: ParkedChange): boolean {
  if (opposites[change.operation] !== other.operation) return false;
  if (change.operation !== "u") return isEqual(change.row, other.row);
  if (!change.before || !other.before) return false;
  return isEqual(change.before, other.row) && isEqual(change.row, other.before);
}

function isEqual(one: Rows, other: Rows): boolean {
  const all = one.columns.map((_, index) => index);
  return textOfRow(one, 0, all) === textOfRow(other, 0, all);
}

function tooMany(error: RowError): SinkError {
  return new SinkError(
    `More than ${most} changes do not fit, so single rows are not the cause: ${error.message}. Correct the table or the query, then write them with: graphloom pipeline parked retry`,
    false,
    { cause: error },
  );
}

function tooManyMessages({ source, from, to }: SinkBatch): SinkError {
  return new SinkError(
    `More than ${most} messages cannot be read, the last of them in ${visible(source)} ${from}-${to}: single messages are not the cause. Correct the schema of the source, or drop messages with: graphloom pipeline parked drop`,
    false,
  );
}
