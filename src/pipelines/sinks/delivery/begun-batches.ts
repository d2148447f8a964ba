import { pickRows, textOfRow } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import type { ParkedUpdate } from "../../state/parked-change.js";
import type { SinkBatch } from "../../state/sink-batch.js";
import type { StateStore } from "../../state/state-store.js";
import { type RefusedRow, RowError } from "../sink.js";
import type { Carrier } from "./carrier.js";
import { replayedRows } from "./envelope.js";

/** How many refused rows to name at once. The caller that parks them writes the batch again. */
const mostRefused = 1_000;

/** Some rows of a batch that follow one another, with their numbers. */
interface Run {
  readonly rows: readonly number[];
  readonly first: number;
}

/**
 * Batches that are being sent, some of whose rows may be refused. Every row keeps the number that it has in the state,
 * also if rows before it are parked, so that receivers know a row that is sent again after a crash.
 */
export class BegunBatches {
  readonly #batches: readonly SinkBatch[];
  readonly #schema: RowSchema;
  readonly #state: StateStore;
  readonly #carrier: Carrier;
  /** The number of the first row of the current batch. */
  #first: number;
  /** The number up to which all rows have arrived, plus one. */
  #next: number;
  #at = 0;
  readonly #arrived = new Set<number>();
  readonly #parked = new Map<number, ParkedUpdate["put"][number] | undefined>();

  /** @param first the number of the first row */
  constructor(
    batches: readonly SinkBatch[],
    first: number,
    {
      state,
      carrier,
      schema,
    }: { readonly state: StateStore; readonly carrier: Carrier; readonly schema: RowSchema },
  ) {
    this.#batches = batches;
    this.#schema = schema;
    this.#state = state;
    this.#carrier = carrier;
    this.#first = first;
    this.#next = first;
  }

  /** Whether a batch is the one whose turn it is, without rows that are parked meanwhile. */
  has(batch: SinkBatch): boolean {
    return this.#placesOf(batch) !== undefined;
  }

  /**
   * Sends the rows of a batch that have not arrived.
   * @returns whether that was the last batch, so that all of them are finished
   * @throws SinkError; RowError once all other rows have arrived, or once many are refused
   */
  async write(batch: SinkBatch): Promise<boolean> {
    await this.#send(batch, this.#placesOf(batch) ?? []);
    for (const number of batch.parked?.removed ?? []) this.#parked.set(number, undefined);
    for (const change of batch.parked?.put ?? []) this.#parked.set(change.number, change);
    this.#first += this.#batches[this.#at]?.changes.rows.count ?? 0;
    this.#at += 1;
    if (this.#at < this.#batches.length) return false;
    const parked = [...this.#parked];
    await this.#state.finish({
      removed: parked.flatMap(([number, change]) => (change ? [] : number)),
      put: parked.flatMap(([, change]) => change ?? []),
    });
    return true;
  }

  /** For each row of a batch, its index in the batch that was begun; `undefined` if that is another batch. */
  #placesOf({ source, from, to, changes }: SinkBatch): readonly number[] | undefined {
    const begun = this.#batches[this.#at];
    if (begun?.source !== source || begun.from !== from || begun.to !== to) return undefined;
    if (begun.changes === changes) return changes.operations.map((_, row) => row);
    const all = this.#schema.columns.map((_, index) => index);
    const textOf = ({ rows, operations }: SinkBatch["changes"], row: number): string =>
      `${operations[row]} ${textOfRow(rows, row, all)}`;
    const places: number[] = [];
    let place = 0;
    for (let row = 0; row < changes.rows.count; row += 1) {
      const text = textOf(changes, row);
      while (place < begun.changes.rows.count && textOf(begun.changes, place) !== text) place += 1;
      if (place === begun.changes.rows.count) return undefined;
      places.push(place);
      place += 1;
    }
    return places;
  }

  async #send(batch: SinkBatch, places: readonly number[]): Promise<void> {
    const numberOf = (row: number): number => this.#first + (places[row] ?? 0);
    const refused = new Map<number, RefusedRow>();
    for (;;) {
      const rest = places.flatMap((_, row) =>
        refused.has(row) || this.#arrived.has(numberOf(row)) ? [] : row,
      );
      const [run] = runsOf(rest, numberOf);
      if (!run || refused.size >= mostRefused) break;
      try {
        await this.#carry(batch, run);
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        for (const { row, ...why } of error.refused) {
          const own = run.rows[row] ?? 0;
          refused.set(own, { ...why, row: own });
        }
        if (error.refused.length === 0) throw error;
      }
    }
    const [first] = refused.values();
    if (first) throw new RowError(first.why, [...refused.values()]);
  }

  async #carry(batch: SinkBatch, { rows: chosen, first }: Run): Promise<void> {
    const { operations } = batch.changes;
    const changes = {
      ...batch.changes,
      operations: chosen.map((row) => operations[row] ?? "i"),
      rows: pickRows(batch.changes.rows, chosen),
    };
    const replayed = replayedRows([{ ...batch, changes }]);
    const { schema } = batch.changes;
    await this.#carrier.carry(
      { schema, operations: changes.operations, rows: changes.rows, first, replayed },
      async (count) => {
        for (let index = 0; index < count; index += 1) this.#arrived.add(first + index);
        // A crash sends everything again from the first row that has not arrived.
        if (first > this.#next) return;
        this.#next = first + count;
        await this.#state.arrived(this.#next - 1);
      },
    );
  }
}

/** Divides rows into runs whose numbers follow one another. */
function runsOf(rows: readonly number[], numberOf: (row: number) => number): readonly Run[] {
  const runs: { rows: number[]; first: number }[] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last && numberOf(row) === last.first + last.rows.length) last.rows.push(row);
    else runs.push({ rows: [row], first: numberOf(row) });
  }
  return runs;
}
