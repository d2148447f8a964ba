import { afterAll, beforeAll, describe, test } from "vitest";
import { createNodeWorld } from "../../src/node/world.js";
import type { Database } from "../../src/platform/database/database.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { openPglite } from "../../src/platform/database/pglite/pglite-database.js";
import { quoteName } from "../../src/platform/database/quote.js";
import { type PostgresServer, postgresMissing, startPostgres } from "./postgres-server.js";

export const world = createNodeWorld();

/** Empty databases for tests. */
export interface TestDatabases {
  readonly provider: Database["provider"];
  /**
   * An empty database. PGlite takes seconds to open, so that there is one for a file: what an earlier call gave is
   * emptied.
   */
  fresh(): Promise<Database>;
}

/** Describes something on PGlite in memory, and on a real PostgreSQL where one is installed. */
export function describeDatabases(name: string, body: (databases: TestDatabases) => void): void {
  describe(`${name}, on PGlite`, () => body(onPglite()));
  if (postgresMissing === undefined) describe(`${name}, on PostgreSQL`, () => body(onPostgres()));
  else describe(`${name}, on PostgreSQL`, () => test.skip(`${postgresMissing}`, () => undefined));
}

/** PGlite in memory, for a test file. */
export function onPglite(): TestDatabases {
  let database: Database | undefined;
  afterAll(() => database?.close());
  return {
    provider: "pglite",
    fresh: async () => {
      database ??= await openPglite(undefined, world);
      await empty(database);
      return database;
    },
  };
}

/** A PostgreSQL server for a test file. */
export function onPostgres(): TestDatabases {
  let server: PostgresServer | undefined;
  const opened: Database[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const database of opened) await database.close();
    await server?.stop();
  });
  return {
    provider: "postgres",
    fresh: async () => {
      if (!server) throw new Error("the server is started before the first test");
      const name = `test_${opened.length}`;
      await createDatabase(server, name);
      const database = await openDatabase(server.address(name), world);
      opened.push(database);
      return database;
    },
  };
}

/** Makes an empty database. */
export async function createDatabase(server: PostgresServer, name: string, how = ""): Promise<void> {
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
