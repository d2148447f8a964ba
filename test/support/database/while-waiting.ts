import { type Database, SQL, type Sql } from "../../../src/store/database/database.js";
import { until } from "../until.js";

/**
 * Runs two transactions that meet in a certain way: the second one begins when the first has done its work, and goes on
 * once the first is committed. It begins by waiting for a lock, if it takes one that the first has.
 * @param first within a transaction
 * @param second in transactions of its own
 */
export async function whileWaiting<Result>(
  database: Database,
  first: (sql: Sql) => Promise<unknown>,
  second: () => Promise<Result>,
): Promise<Result> {
  let isOver = false;
  let late: Promise<Result> | undefined;
  await database.transaction(async (sql) => {
    await first(sql);
    late = second();
    late
      .catch(() => undefined)
      .finally(() => {
        isOver = true;
      });
    // With PGlite, everybody waits for the only connection.
    if (database.provider === "postgres") await until(async () => isOver || (await waiting(database)) > 0);
  });
  if (!late) throw new Error("the second transaction did not begin");
  return late;
}

/** The number of statements in a database that wait for a lock. */
async function waiting(sql: Sql): Promise<number> {
  const [row] = await sql.query(
    SQL`select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row?.n);
}
