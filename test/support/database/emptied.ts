import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteName } from "../../../src/store/database/quote.js";

/** The definition of our own tables when no test has changed them. */
const unchanged = new Set<string>();

/** Resets a database to its initial state: with our own tables, all empty. */
export async function makeNew(database: Database): Promise<void> {
  if (unchanged.has(await structure(database))) {
    await dropSchemas(database, "graphloom");
    await database.run(emptying);
  } else {
    await makeBare(database);
    await migrate(database);
    await noteNew(database);
  }
}

/** Call this with a database when it is first opened: that saves making its tables again. */
export async function noteNew(database: Database): Promise<void> {
  unchanged.add(await structure(database));
}

/** Removes everything from a database, including our own tables. */
export async function makeBare(database: Database): Promise<void> {
  await dropSchemas(database);
}

async function dropSchemas(database: Database, kept = ""): Promise<void> {
  const schemas = await database.query(
    SQL`select nspname as name from pg_namespace
      where nspname !~ '^pg_' and nspname not in ('public', 'information_schema', $1::text)`,
    [kept],
  );
  for (const { name } of schemas) await database.run(SQL`drop schema ${quoteName(name ?? "")} cascade`);
}

/** The definition of our own tables as a string, which differs once any part was made again. */
async function structure(database: Database): Promise<string> {
  const [row] = await database.query(SQL`
    with tables as (select oid, relnatts from pg_class where relnamespace = to_regnamespace('graphloom'))
    select concat_ws(' ', current_database(),
      (select string_agg(oid || ':' || relnatts, ' ' order by oid) from tables),
      (select string_agg(oid::text, ' ' order by oid) from pg_constraint where conrelid in (select oid from tables)),
      (select string_agg(oid::text, ' ' order by oid) from pg_trigger where tgrelid in (select oid from tables)),
      (select count(*) from pg_proc where pronamespace = to_regnamespace('graphloom'))) as text`);
  return row?.text ?? "";
}

/** Empties our own tables and restarts their sequences. */
const emptying = SQL`do $$
  declare
    it record;
  begin
    set local session_replication_role = replica;
    for it in
      select relname as name from pg_class
        where relnamespace = 'graphloom'::regnamespace and relkind = 'r' and relname <> 'migrations'
    loop
      execute format('delete from graphloom.%I', it.name);
    end loop;
    for it in select sequencename as name from pg_sequences where schemaname = 'graphloom' and last_value is not null
    loop
      execute format('alter sequence graphloom.%I restart', it.name);
    end loop;
  end $$`;
