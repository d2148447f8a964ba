import { readdirSync, readFileSync } from "node:fs";
import { type Database, DatabaseError, SQL, type Sql, type SqlFragment, uncheckedSql } from "./database.js";

/** A script that brings a database from one state to the next. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly script: SqlFragment;
}

/** Distinguishes our lock from other programs' locks in the same database. */
const lock = SQL`7236540193`;

/**
 * Brings a database up to date. Runs all new scripts in order, or none. Processes that start together wait for each
 * other.
 * @param migrations those of this program when left out
 * @throws DatabaseError also for a database that a newer program has changed
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = readMigrations(),
): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query(SQL`select pg_advisory_xact_lock(${lock})`);
    await sql.run(SQL`create schema if not exists graphloom;
      create table if not exists graphloom.migrations (
        number integer primary key, name text not null, run_at timestamptz not null default now())`);
    const rows = await sql.query(SQL`select number, name from graphloom.migrations order by number`);
    const run = new Map(rows.map(({ number, name }) => [Number(number), name]));
    checkKnown(run, migrations);
    for (const { number, name, script } of migrations) {
      if (run.has(number)) continue;
      await sql.run(script);
      await sql.query(SQL`insert into graphloom.migrations (number, name) values ($1::integer, $2::text)`, [
        String(number),
        name,
      ]);
    }
  });
}

/**
 * Checks whether a newer version has migrated the database since this one started.
 * @returns the number and the name of a script that this program does not have
 * @throws DatabaseError
 */
export async function findForeignMigration(
  sql: Sql,
  migrations: readonly Migration[] = ownMigrations(),
): Promise<string | undefined> {
  const rows = await sql.query(SQL`select number, name from graphloom.migrations order by number`);
  const known = new Map(migrations.map(({ number, name }) => [number, name]));
  const foreign = rows.find(({ number, name }) => known.get(Number(number)) !== name);
  return foreign && `${foreign.number} ${foreign.name}`;
}

let own: readonly Migration[] | undefined;

/** Cached, because it is needed often. */
function ownMigrations(): readonly Migration[] {
  own ??= readMigrations();
  return own;
}

/** @throws DatabaseError when others were run than this program has */
function checkKnown(
  run: ReadonlyMap<number, string | null | undefined>,
  migrations: readonly Migration[],
): void {
  const known = new Map(migrations.map(({ number, name }) => [number, name]));
  for (const [number, name] of run) {
    if (known.get(number) === name) continue;
    throw new DatabaseError(`another version of graphloom has migrated the database (${number} ${name})`, {
      hint: "Use that version, or choose another database.",
    });
  }
}

/** The scripts next to this file: `0001-name.sql`. */
export function readMigrations(folder = new URL("./migrations/", import.meta.url)): readonly Migration[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, number, name] = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
      if (number === undefined || name === undefined) return [];
      return [
        { number: Number(number), name, script: uncheckedSql(readFileSync(new URL(file, folder), "utf8")) },
      ];
    });
}
