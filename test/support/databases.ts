import { MessageChannel } from "node:worker_threads";
import { afterAll, describe, inject, test } from "vitest";
import { createNodeWorld } from "../../src/node/world.js";
import { type Database, DatabaseError } from "../../src/platform/database/database.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { openPglite } from "../../src/platform/database/pglite/pglite-database.js";
import { openOverPort } from "../../src/platform/database/port/open-over-port.js";
import { serveDatabase } from "../../src/platform/database/port/serve-database.js";
import { quoteName } from "../../src/platform/database/quote.js";
import { type PostgresAddresses, postgresIn, postgresMissing } from "./postgres-server.js";
import { images } from "./shared-cache.js";

export const world = createNodeWorld();

/** Empty databases for tests. */
export interface TestDatabases {
  readonly provider: Database["provider"];
  /**
   * An empty database. PGlite takes seconds to open, so that there is one for a worker of the tests: what an earlier
   * call gave is emptied.
   */
  fresh(): Promise<Database>;
}

/** Describes something on PGlite in memory, and on a real PostgreSQL where one is installed. */
export function describeDatabases(name: string, body: (databases: TestDatabases) => void): void {
  describe(`${name}, on PGlite`, () => body(onPglite()));
  if (postgresMissing === undefined) describe(`${name}, on PostgreSQL`, () => body(onPostgres()));
  else describe(`${name}, on PostgreSQL`, () => test.skip(`${postgresMissing}`, () => undefined));
}

/**
 * Describes something that asks both for the same, so that one of them tells: PostgreSQL where one is installed, which
 * is faster, and PGlite elsewhere; both when they are asked for.
 */
export function describeDatabase(
  name: string,
  isBoth: boolean,
  body: (databases: TestDatabases) => void,
): void {
  if (isBoth) describeDatabases(name, body);
  else if (postgresMissing === undefined) describe(`${name}, on PostgreSQL`, () => body(onPostgres()));
  else describe(`${name}, on PGlite`, () => body(onPglite()));
}

let pglite: Promise<Database> | undefined;

/** PGlite in memory, the same for all files that one worker of the tests runs. It ends with the worker. */
export function onPglite(): TestDatabases {
  return {
    provider: "pglite",
    fresh: async () => {
      const known = await pglite;
      if (known && (await isEmptied(known))) return known;
      pglite = openPglite(undefined, world, images);
      return pglite;
    },
  };
}

/** Empties a database; not one whose thread a test has ended, and its memory with it. */
async function isEmptied(database: Database): Promise<boolean> {
  try {
    await empty(database);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.message.includes("is gone with the thread")) return false;
    throw error;
  }
}

/** The same, used over a port, as threads do. */
export function overPort(): TestDatabases {
  const { provider, fresh } = onPglite();
  const opened: Database[] = [];
  afterAll(async () => {
    for (const database of opened) await database.close();
  });
  return {
    provider,
    fresh: async () => {
      const { port1, port2 } = new MessageChannel();
      serveDatabase(await fresh(), port1);
      const database = openOverPort(port2, provider);
      opened.push(database);
      return database;
    },
  };
}

/** How many databases this worker of the tests has made. */
let made = 0;

/** Databases in the PostgreSQL server that all files share. */
export function onPostgres(): TestDatabases {
  const opened: Database[] = [];
  afterAll(async () => {
    for (const database of opened) await database.close();
  });
  return {
    provider: "postgres",
    fresh: async () => {
      const database = await openDatabase(await serverDatabase(), world);
      opened.push(database);
      return database;
    },
  };
}

/** An empty database in the PostgreSQL server that all files share. @returns its address */
export async function serverDatabase(): Promise<string> {
  const server = postgresIn(inject("postgresFolder"));
  const name = `test_${process.pid}_${made++}`;
  await createDatabase(server, name);
  return server.address(name);
}

/** Makes an empty database. */
export async function createDatabase(server: PostgresAddresses, name: string, how = ""): Promise<void> {
  const main = await openDatabase(server.address("postgres"), world);
  await main.run(`create database ${quoteName(name)} ${how}`);
  await main.close();
}

async function empty(database: Database): Promise<void> {
  const schemas = await database.query(
    "select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname not in ('public', 'information_schema')",
  );
  for (const { name } of schemas) await database.run(`drop schema ${quoteName(name ?? "")} cascade`);
}
