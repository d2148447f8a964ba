import { DatabaseError, SQL, type Sql, type SqlFragment, type TransactionOptions } from "./database.js";

/** A connection with an open transaction. */
export interface OpenTransaction {
  readonly sql: Sql;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

/** The statement that starts a transaction. */
export function beginning({ snapshot = false }: TransactionOptions): SqlFragment {
  return snapshot ? SQL`begin isolation level repeatable read read only` : SQL`begin`;
}

/** Runs work in an open transaction. Commits it if the work succeeds, and rolls it back if the work throws. */
export async function runTransaction<Result>(
  { sql, commit, rollBack }: OpenTransaction,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  let isOver = false;
  let hasFailed = false;
  const guarded = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (isOver) throw new DatabaseError("the transaction has ended");
    try {
      return await ask();
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  try {
    const { copy } = sql;
    const result = await work({
      query: (...asked) => guarded(() => sql.query(...asked)),
      run: (script) => guarded(() => sql.run(script)),
      ...(copy && { copy: (...asked) => guarded(() => copy(...asked)) }),
    });
    isOver = true;
    // After an ignored error, the database would roll back and still report success.
    if (hasFailed) await sql.run(SQL`select 1`);
    await commit();
    return result;
  } catch (error) {
    isOver = true;
    await rollBack();
    throw error;
  }
}
