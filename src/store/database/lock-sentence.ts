import { type Database, DatabaseError, type LockWait } from "./database.js";

/** A sentence for an operator about a statement that waits for a lock. */
export function lockSentence({ since, schema, table, holders }: LockWait): string {
  const lock = schema === undefined || table === undefined ? "a lock" : `a lock on ${schema}.${table}`;
  const waits = `A statement has waited for ${lock} since ${new Date(since).toISOString()}.`;
  if (holders.length === 0) return waits;
  const named = holders.map(({ pid, program }) => (program === "" ? `${pid}` : `${pid} (${program})`));
  const [process, its] = named.length === 1 ? ["process", "its"] : ["processes", "their"];
  return `${waits} It is held by the database's ${process} ${named.join(", ")}: wait for the end of ${its} transaction, or end it with pg_terminate_backend.`;
}

/** The statements that wait for locks. None are known while the database gives us no connection for the question. */
export async function knownLockWaits(database: Pick<Database, "lockWaits">): Promise<readonly LockWait[]> {
  try {
    return (await database.lockWaits?.()) ?? [];
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  }
}
