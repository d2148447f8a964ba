import { randomUUID } from "node:crypto";
import type { LedgerEntry } from "../../flows/changes/ledger.js";
import { SinkError } from "../../flows/sinks/sink.js";
import type {
  KeptBatch,
  KeptState,
  StateOwner,
  StateReading,
  StateStore,
} from "../../flows/sinks/state-store.js";
import { FlowState } from "../../node/flow-state/flow-state.js";
import { entryOf, readHeader, StrangeRecord } from "../../node/flow-state/records.js";
import { type Database, DatabaseError, type Sql } from "../../store/database/database.js";
import {
  addRecords,
  claimState,
  dropRecords,
  findState,
  holdsState,
  readRecords,
  type StateClaim,
} from "./state-rows.js";

/**
 * Opens the state of a sink in the server's database, as records of the same form as in a file. Whoever opens it last may
 * write it: a server that has lost the pipeline and does not know it yet is refused.
 * @throws SinkError
 */
export async function openDatabaseState(database: Database, owner: StateOwner): Promise<StateStore> {
  try {
    const writer = randomUUID();
    return await database.transaction(async (sql) => {
      const claim = { state: await claimState(sql, owner, writer), writer };
      const records = await readRecords(sql, claim.state);
      if (records.length > 0)
        return new DatabaseState(database, claim, stateOf(records, owner), records.length);
      const state = FlowState.create(owner);
      const first = [...state.records()];
      await addRecords(sql, claim.state, first);
      return new DatabaseState(database, claim, state, first.length);
    });
  } catch (error) {
    throw sinkError(error);
  }
}

/** Reads the state of a sink without keeping others from it. @returns `undefined` if there is none @throws SinkError */
export async function readDatabaseState(
  database: Database,
  owner: StateOwner,
): Promise<StateReading | undefined> {
  try {
    const state = await findState(database, owner);
    const records = state === undefined ? [] : await readRecords(database, state);
    return records.length === 0 ? undefined : stateOf(records, owner);
  } catch (error) {
    throw sinkError(error);
  }
}

function stateOf(records: readonly unknown[], owner: StateOwner): FlowState {
  const columns = owner.columns.map(({ name, type }) => ({ name, type }));
  if (JSON.stringify(readHeader(records[0]).columns) === JSON.stringify(columns))
    return FlowState.from(records, owner.columns);
  throw new SinkError(
    "The sink was written with other columns. Restore them, give the sink another name, or restart the pipeline without its state.",
    false,
  );
}

function sinkError(error: unknown): unknown {
  if (error instanceof DatabaseError)
    return new SinkError(`The server's database does not answer: ${error.message}`, true, { cause: error });
  if (error instanceof StrangeRecord)
    return new SinkError(
      "What is kept of the sink cannot be read. Restart the pipeline without its state.",
      false,
      { cause: error },
    );
  return error;
}

/** Records after which they are rewritten. */
const leastRecords = 2_000;

class DatabaseState implements StateStore {
  readonly kept: KeptState;
  readonly #database: Database;
  readonly #claim: StateClaim;
  readonly #state: FlowState;
  /** The number of the first change of what is begun next. */
  #first: number;
  #count: number;
  /** The number of records after which they are rewritten. */
  #limit = leastRecords;

  constructor(database: Database, claim: StateClaim, state: FlowState, count: number) {
    this.kept = state.kept;
    this.#database = database;
    this.#claim = claim;
    this.#state = state;
    this.#first = state.firstOpen;
    this.#count = count;
  }

  async begin(batches: readonly KeptBatch[], least = 0): Promise<number> {
    const first = Math.max(this.#first, least);
    await this.#add([...this.#state.recordsOf(batches, first)]);
    this.#state.begin(batches, first);
    this.#first = this.#state.next;
    return first;
  }

  async arrived(last: number): Promise<void> {
    await this.#add([{ kind: "arrived", last }]);
    this.#state.arrive(last);
  }

  async finish(): Promise<void> {
    await this.#add([{ kind: "finish" }]);
    this.#state.finish();
    if (this.#count >= this.#limit) await this.#rewrite();
  }

  async #rewrite(): Promise<void> {
    const records = [...this.#state.records()];
    await this.#write(async (sql) => {
      await dropRecords(sql, this.#claim.state);
      await addRecords(sql, this.#claim.state, records);
    });
    this.#count = records.length;
    this.#limit = Math.max(leastRecords, records.length * 2);
  }

  async forget(): Promise<void> {
    this.#state.forget();
    await this.#rewrite();
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#add([{ kind: "entry", source, entry: entryOf(entry) }]);
    this.#state.correct(source, entry);
  }

  ledger(source: string): readonly LedgerEntry[] {
    return this.#state.ledger(source);
  }

  async close(): Promise<void> {}

  async #add(records: readonly object[]): Promise<void> {
    await this.#write((sql) => addRecords(sql, this.#claim.state, records));
    this.#count += records.length;
  }

  async #write(work: (sql: Sql) => Promise<void>): Promise<void> {
    try {
      await this.#database.transaction(async (sql) => {
        if (await holdsState(sql, this.#claim)) return work(sql);
        throw new SinkError("Another server runs the pipeline.", true);
      });
    } catch (error) {
      throw sinkError(error);
    }
  }
}
