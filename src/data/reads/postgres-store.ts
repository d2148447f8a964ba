import { type Database, DatabaseError, type Sql } from "../../store/database/database.js";
import { Refusal } from "../answers/refusal.js";
import type { DataStore } from "./data-reads.js";
import { PostgresReads } from "./postgres-reads.js";

/** The error code of a statement that exceeded its time limit. */
const ended = "57014";

/**
 * Reads from the tables that pipelines fill.
 * @param limit milliseconds that a statement may take
 */
export function createPostgresStore(database: Database, limit: number): DataStore {
  const filled = new Set<string>();
  const read = <Result>(
    work: (reads: PostgresReads) => Promise<Result>,
    isSingle: boolean,
  ): Promise<Result> =>
    readSnapshot(database, limit, (sql) => work(new PostgresReads(sql, filled)), isSingle);
  return {
    read: (work) => read(work, false),
    // Finding out whether a chain has tables takes a separate statement.
    readOnce: (chain, work) => read(work, filled.has(chain)),
  };
}

/**
 * Reads a database as of one moment.
 * @param limit the most milliseconds that a statement may take
 * @param isSingle whether the work runs one statement
 * @throws Refusal if the database does not answer, or not in time; and errors of the work
 */
export async function readSnapshot<Result>(
  database: Database,
  limit: number,
  work: (sql: Sql) => Promise<Result>,
  isSingle = false,
): Promise<Result> {
  try {
    return await database.transaction(work, { snapshot: true, isSingle, statementTimeout: limit });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw error.code === ended ? timedOut(limit, error) : failedRead(error);
  }
}

/** The refusal for a read that the database did not answer in time. @param limit milliseconds */
export function timedOut(limit: number, cause: unknown): Refusal {
  return new Refusal(
    "TIMEOUT",
    `The database did not answer within ${limit / 1000} s. Ask for less: fewer blocks, one chain, or one token.`,
    { cause },
  );
}

/** The refusal for a read that the database could not complete. */
export function failedRead(cause: unknown): Refusal {
  return new Refusal("UPSTREAM_ERROR", "The database could not complete the request. Try again.", { cause });
}
