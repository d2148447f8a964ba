import { randomUUID } from "node:crypto";
import { type Database, DatabaseError, type Sql } from "../../../store/database/database.js";
import { StrangeRecord } from "../../state/log-records.js";
import { openLog, type StateLog, stateInLog } from "../../state/log-store.js";
import { SinkError, wentBack } from "../../state/sink-error.js";
import type { ReadStateOwner, StateOwner, StateReading, StateStore } from "../../state/state-store.js";
import {
  addRecords,
  claimState,
  dropRecords,
  findState,
  holdsState,
  lastRecord,
  readRecords,
  type StateClaim,
  takenText,
} from "./state-rows.js";

/**
 * Opens the state of a sink in the server's database. Its records have the same form as in a file. Only the process that
 * opened it last may write it, so a server that has lost the pipeline without noticing is refused.
 * @param least the least number of its next changes: see `leastNumber`
 * @throws SinkError
 */
export async function openDatabaseState(
  database: Database,
  owner: StateOwner,
  least: number,
): Promise<StateStore> {
  try {
    const writer = randomUUID();
    return await database.transaction(async (sql) => {
      const claim = { state: await claimState(sql, owner, writer), writer };
      const found = await readRecords(sql, claim.state);
      const records = found.length > 0 ? found : undefined;
      const open = async (first: readonly object[]): Promise<StateLog> => {
        await addRecords(sql, claim.state, first);
        const last = await lastRecord(sql, claim.state);
        return new DatabaseJournal(database, claim, found.length + first.length, last);
      };
      return openLog(owner, { records, restart, open }, least);
    });
  } catch (error) {
    throw sinkError(error);
  }
}

/** Reads the state of a sink. Others may write it meanwhile. @returns `undefined` if there is none @throws SinkError */
export async function readDatabaseState(
  database: Database,
  owner: ReadStateOwner,
): Promise<StateReading | undefined> {
  try {
    const state = await findState(database, owner);
    const records = state === undefined ? [] : await readRecords(database, state);
    return records.length === 0 ? undefined : stateInLog(records, owner, restart);
  } catch (error) {
    throw sinkError(error);
  }
}

const restart = "restart the pipeline without its state";

function sinkError(error: unknown): unknown {
  if (error instanceof DatabaseError)
    return new SinkError(`The server's database does not answer: ${error.message}`, true, { cause: error });
  if (error instanceof StrangeRecord)
    return new SinkError(
      "The saved state of the sink cannot be read. Restart the pipeline without its state.",
      false,
      { cause: error },
    );
  return error;
}

/** A state with fewer records is never rewritten. */
const leastRecords = 2_000;

/** The records of a state in the database. Each addition is a transaction. */
class DatabaseJournal implements StateLog {
  readonly leastLong = leastRecords;
  readonly #database: Database;
  readonly #claim: StateClaim;
  #size: number;
  /** The number of the last record. */
  #last: string | undefined;

  /**
   * @param count how many records there are
   * @param last the number of the last one
   */
  constructor(database: Database, claim: StateClaim, count: number, last: string | undefined) {
    this.#last = last;
    this.#database = database;
    this.#claim = claim;
    this.#size = count;
  }

  get size(): number {
    return this.#size;
  }

  async add(records: Iterable<object>): Promise<void> {
    const added = [...records];
    await this.#write((sql) => addRecords(sql, this.#claim.state, added));
    this.#size += added.length;
  }

  async sync(): Promise<void> {}

  async replace(records: Iterable<object>): Promise<void> {
    const all = [...records];
    await this.#write(async (sql) => {
      await dropRecords(sql, this.#claim.state);
      await addRecords(sql, this.#claim.state, all);
    });
    this.#size = all.length;
  }

  async close(): Promise<void> {}

  async #write(work: (sql: Sql) => Promise<void>): Promise<void> {
    try {
      this.#last = await this.#database.transaction(async (sql) => {
        if (!(await holdsState(sql, this.#claim)))
          throw new SinkError(await takenText(sql, this.#claim), true);
        if ((await lastRecord(sql, this.#claim.state)) !== this.#last) throw wentBack("server's database");
        await work(sql);
        return lastRecord(sql, this.#claim.state);
      });
    } catch (error) {
      throw sinkError(error);
    }
  }
}
