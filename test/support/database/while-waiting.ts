import { type Database, SQL, type Sql } from "../../../src/store/database/database.js";
import { until } from "../until.js";

/**
 * Lets two pieces of work meet in a certain way: the second one begins when the first has done all but to commit, and goes
 * on once that is committed. If it needs a lock that the first one has, it waits for it meanwhile.
 * @param first given a database whose transactions are all one, which ends when this does
 * @param second in transactions of its own
 */
export async function whileWaiting<Result>(
  database: Database,
  first: (held: Database) => Promise<unknown>,
  second: () => Promise<Result>,
): Promise<Result> {
  let late: Promise<Result> | undefined;
  await database.transaction(async (sql) => {
    const { query, run } = sql;
    await first({ ...database, query, run, transaction: (work) => work(sql) });
    late = second();
    await untilWaiting(database, late);
  });
  if (!late) throw new Error("the second work did not begin");
  return late;
}

/** Waits until some work waits for a lock, or is over. With PGlite, everybody waits for the only connection anyway. */
export async function untilWaiting(database: Database, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  if (database.provider === "postgres") await until(async () => isOver || (await waiting(database)) > 0);
}

/** The number of statements in a database that wait for a lock. */
async function waiting(sql: Sql): Promise<number> {
  const [row] = await sql.query(
    SQL`select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row?.n);
}
