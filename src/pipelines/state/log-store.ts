import { randomUUID } from "node:crypto";
import type { LedgerEntry } from "../changes/ledger.js";
import { entryOf, parkedMoveOf } from "./log-records.js";
import { LogState } from "./log-state.js";
import type { ParkedUpdate } from "./parked-change.js";
import { SinkError } from "./sink-error.js";
import type { KeptBatch, KeptState, ReadStateOwner, StateOwner, StateStore } from "./state-store.js";

/** The records of a state in their order: lines of a file, or rows of a table. `LogState` makes the state from them. */
export interface StateLog {
  /** How much it holds, in a unit of its own. */
  readonly size: number;
  /** A smaller log is never rewritten. */
  readonly leastLong: number;
  /** Adds records. They outlast this process once the promise resolves. */
  add(records: Iterable<object>): Promise<void>;
  /** Waits until all records outlast the machine. */
  sync(): Promise<void>;
  /** Replaces all records. A crash leaves the old ones or the new ones. */
  replace(records: Iterable<object>): Promise<void>;
  close(): Promise<void>;
}

/** The state of a sink. Each change is written to a journal before it takes effect. */
class LogStore implements StateStore {
  readonly kept: KeptState;
  readonly #state: LogState;
  readonly #journal: StateLog;
  /** The number of the first change of the next batches. */
  #first: number;
  /** The least number of changes that were not begun before. */
  readonly #least: number;
  /** How many batches an earlier process began that must be sent again, under the same numbers. */
  #owed: number;
  /** The journal is rewritten when it has this size. */
  #limit: number;

  /**
   * @param state built from the records of the journal
   * @param least the least number of changes that were not begun before
   */
  constructor(state: LogState, journal: StateLog, least: number) {
    this.kept = state.kept;
    this.#state = state;
    this.#journal = journal;
    this.#first = state.firstOpen;
    this.#least = least;
    this.#owed = this.kept.unfinished.length;
    this.#limit = journal.leastLong;
  }

  async begin(batches: readonly KeptBatch[], least = 0): Promise<number> {
    const first = Math.max(this.#first, least, this.#owed > 0 ? 0 : this.#least);
    await this.#reshape();
    await this.#journal.add(this.#state.recordsOf(batches, first));
    await this.#journal.sync();
    this.#state.begin(batches, first);
    this.#first = this.#state.next;
    this.#owed -= batches.length;
    return first;
  }

  async arrived(last: number): Promise<void> {
    await this.#journal.add([{ kind: "arrived", last }]);
    this.#state.arrive(last);
  }

  async finish(parked?: ParkedUpdate): Promise<void> {
    await this.#journal.add([{ kind: "finish", ...(parked && { parked: parkedMoveOf(parked) }) }]);
    await this.#journal.sync();
    this.#state.finish(parked);
    if (this.#journal.size < this.#limit) return;
    await this.#journal.replace(this.#state.records());
    this.#limit = Math.max(this.#journal.leastLong, this.#journal.size * 2);
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#journal.add([{ kind: "entry", source, entry: entryOf(entry) }]);
    await this.#journal.sync();
    this.#state.correct(source, entry);
  }

  async keepLineage(text: string): Promise<void> {
    await this.#reshape();
    await this.#journal.add([{ kind: "lineage", text }]);
    await this.#journal.sync();
    this.#state.keepLineage(text);
  }

  /** Rows must have the columns that the header names, so other columns need a new header first. */
  async #reshape(): Promise<void> {
    if (!this.#state.isReshaped) return;
    await this.#journal.replace(this.#state.records());
    this.#state.isReshaped = false;
  }

  ledger(source: string): readonly LedgerEntry[] {
    return this.#state.ledger(source);
  }

  async forget(): Promise<void> {
    this.#state.forget();
    await this.#journal.replace(this.#state.records());
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}

/**
 * The state in a log.
 * @param restart what to do if the sink was written with other columns: `remove … to start over`
 * @throws SinkError for other columns; StrangeRecord
 */
export function stateInLog(
  records: readonly unknown[],
  { columns }: ReadStateOwner,
  restart: string,
): LogState {
  const state = LogState.of(records, columns);
  if (state) return state;
  throw new SinkError(
    `The sink was written with other columns. Restore them, give the sink another name, or ${restart}.`,
    false,
  );
}

export interface OpeningLog {
  /** Its records; `undefined` if it is new. */
  readonly records: readonly unknown[] | undefined;
  /** What to do if the sink was written with other columns: `remove … to start over`. */
  readonly restart: string;
  /** Opens it for writing. @param first its first records, if it is new */
  readonly open: (first: readonly object[]) => Promise<StateLog>;
}

/**
 * Opens the state of a sink in a log.
 * @param least the least number of its next changes: see `leastNumber`
 * @throws SinkError for other columns; StrangeRecord; errors of the log
 */
export async function openLog(
  owner: StateOwner,
  { records, restart, open }: OpeningLog,
  least: number,
): Promise<StateStore> {
  const state = records ? stateInLog(records, owner, restart) : LogState.create(owner, randomUUID());
  return new LogStore(state, await open(records ? [] : [...state.records()]), least);
}
