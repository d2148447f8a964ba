import { DatabaseError, SQL, type Sql, type SqlFragment, type TransactionOptions } from "./database.js";
import { sendNotification } from "./notify.js";

/** A connection with an open transaction. */
export interface OpenTransaction {
  readonly sql: Sql;
  /** Runs statements after the commit; by default, `sql` does. */
  readonly after?: Pick<Sql, "query">;
  /** Aborted when no further statement of the work may start. */
  readonly signal?: AbortSignal | undefined;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

/** The statement that starts a transaction. */
export function beginning({ snapshot = false }: TransactionOptions): SqlFragment {
  return snapshot ? SQL`begin isolation level repeatable read read only` : SQL`begin`;
}

/** Runs work in an open transaction. Commits it if the work succeeds, and rolls it back if the work throws. */
export async function runTransaction<Result>(
  { sql, after = sql, signal, commit, rollBack }: OpenTransaction,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  let isOver = false;
  let hasFailed = false;
  const messages = new Map<string, { readonly channel: string; readonly payload: string }>();
  const guarded = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (isOver) throw new DatabaseError("the transaction has ended");
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  let result: Result;
  try {
    const { copy, waited } = sql;
    result = await work({
      query: (...asked) => guarded(() => sql.query(...asked)),
      run: (script) => guarded(() => sql.run(script)),
      // As in PostgreSQL, equal messages of a transaction are sent once.
      notify: (channel, payload) => messages.set(`${channel} ${payload}`, { channel, payload }),
      ...(waited && { waited }),
      ...(copy && { copy: (...asked) => guarded(() => copy(...asked)) }),
    });
    isOver = true;
    // After an ignored error, the database would roll back and still report success.
    if (hasFailed) await sql.run(SQL`select 1`);
    await commit();
  } catch (error) {
    isOver = true;
    await rollBack();
    throw error;
  }
  for (const { channel, payload } of messages.values()) await sendNotification(after, channel, payload);
  return result;
}
