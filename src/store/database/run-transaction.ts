import { DatabaseError, SQL, type Sql, type SqlFragment, type TransactionOptions } from "./database.js";

/** A connection on which a transaction was begun. */
export interface OpenTransaction {
  readonly sql: Sql;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

/** The statement that begins a transaction. */
export function beginning({ snapshot = false }: TransactionOptions): SqlFragment {
  return snapshot ? SQL`begin isolation level repeatable read read only` : SQL`begin`;
}

/** Does work in a transaction that was begun: committed when it ends well, rolled back when it throws. */
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
    const result = await work({
      query: (...asked) => guarded(() => sql.query(...asked)),
      run: (script) => guarded(() => sql.run(script)),
    });
    isOver = true;
    // After a failure that nobody minded, the database would roll back and call it a success.
    if (hasFailed) await sql.run(SQL`select 1`);
    await commit();
    return result;
  } catch (error) {
    isOver = true;
    await rollBack();
    throw error;
  }
}
