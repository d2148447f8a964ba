import { type Database, DatabaseError, type Sql } from "../store/database/database.js";

/**
 * Milliseconds that the database may take for a statement that people wait for. A statement of PGlite cannot be ended, so
 * it gets as long as a query.
 */
const patience = { postgres: 5_000, pglite: 30_000 } as const;
/** The code of a statement that took too long. */
const tooLate = "57014";

/** The seconds of `timedRead`. */
export function secondsOf({ provider }: Pick<Database, "provider">): number {
  return patience[provider] / 1000;
}

/**
 * Reads the state of one moment, within the time that people wait.
 * @param gone aborted when the client leaves, which ends the statement if the database supports this
 * @throws DatabaseError, which `isTooLate` recognizes; the reason of `gone`
 */
export function timedRead<Result>(
  database: Database,
  work: (sql: Sql) => Promise<Result>,
  gone: AbortSignal,
): Promise<Result> {
  const statementTimeout = patience[database.provider];
  return database.transaction(work, { snapshot: true, statementTimeout, signal: gone });
}

/** Whether a statement was ended because it took too long. */
export function isTooLate(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === tooLate;
}
