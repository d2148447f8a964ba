import { MessageChannel } from "node:worker_threads";
import { afterAll, describe, inject, test } from "vitest";
import { createNodeWorld } from "../../../src/machine/world.js";
import { type Database, DatabaseError, SQL, uncheckedSql } from "../../../src/store/database/database.js";
import { openPglite } from "../../../src/store/database/pglite/pglite-database.js";
import { openOverPort } from "../../../src/store/database/port/open-over-port.js";
import { serveDatabase } from "../../../src/store/database/port/serve-database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { openDatabase } from "../../../src/store/open.js";
import { images } from "../compiler/shared-cache.js";
import { makeBare, makeNew, noteNew } from "./emptied.js";
import { type PostgresAddresses, postgresIn, postgresMissing } from "./postgres-server.js";

export const world = createNodeWorld();

/** Databases for tests. */
export interface TestDatabases {
  readonly provider: Database["provider"];
  /**
   * A database in its initial state: with our own tables, all empty. PGlite takes a second to open, a server takes a
   * tenth of one to make a database, and the tables take as long again. So each test worker has one database of each
   * kind, and a new call empties it.
   */
  fresh(): Promise<Database>;
  /** The same without our own tables. */
  bare(): Promise<Database>;
}

/** Describes tests on PGlite in memory, and on a real PostgreSQL server if one is installed. */
export function describeDatabases(name: string, body: (databases: TestDatabases) => void): void {
  describe(`${name}, on PGlite`, () => body(onPglite()));
  if (postgresMissing === undefined) describe(`${name}, on PostgreSQL`, () => body(onPostgres()));
  else describe(`${name}, on PostgreSQL`, () => test.skip(`${postgresMissing}`, () => undefined));
}

/**
 * Describes tests that need only one of the two databases: PostgreSQL if it is installed, because it is faster, and
 * otherwise PGlite. Runs on both on request.
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

/** PGlite in memory, shared by all files of a test worker. It ends with the worker. */
export function onPglite(): TestDatabases {
  const emptied = async (empty: (database: Database) => Promise<void>): Promise<Database> => {
    pglite ??= opened();
    try {
      await empty(await pglite);
    } catch (error) {
      // A test has ended its thread, and with it its memory.
      if (!(error instanceof DatabaseError && error.message.includes("in-memory database was lost")))
        throw error;
      pglite = opened();
      await empty(await pglite);
    }
    return pglite;
  };
  return { provider: "pglite", fresh: () => emptied(makeNew), bare: () => emptied(makeBare) };
}

async function opened(): Promise<Database> {
  const database = await openPglite(undefined, world, images);
  await noteNew(database);
  return database;
}

/** The same, accessed through a port, as threads do. */
export function overPort(): TestDatabases {
  const { provider, fresh, bare } = onPglite();
  const opened: Database[] = [];
  afterAll(async () => {
    for (const database of opened) await database.close();
  });
  const overIt = async (served: Promise<Database>): Promise<Database> => {
    const { port1, port2 } = new MessageChannel();
    serveDatabase(await served, port1);
    const database = openOverPort(port2, provider);
    opened.push(database);
    return database;
  };
  return { provider, fresh: () => overIt(fresh()), bare: () => overIt(bare()) };
}

/** The address of this worker's database in the PostgreSQL server that all files share. */
let postgres: Promise<string> | undefined;

const addresses = new WeakMap<Database, string>();

/** The address of a database on a server that `fresh` or `openServerDatabase` returned; `undefined` for PGlite. */
export function addressOf(database: Database): string | undefined {
  return addresses.get(database);
}

/** Opens a new database in the PostgreSQL server that all files share. */
export async function openServerDatabase(): Promise<Database> {
  return openNoted(await serverDatabase());
}

async function openNoted(address: string): Promise<Database> {
  const database = await openDatabase(address, world);
  addresses.set(database, address);
  return database;
}

/** A database in the shared PostgreSQL server, the same for all files of a test worker. */
export function onPostgres(): TestDatabases {
  let opened: Database | undefined;
  afterAll(() => opened?.close());
  const emptied = async (empty: (database: Database) => Promise<void>): Promise<Database> => {
    postgres ??= serverDatabase();
    // Each has its own connections: an old one would keep prepared statements for tables that were replaced.
    await opened?.close();
    opened = await openNoted(await postgres);
    await empty(opened);
    return opened;
  };
  return { provider: "postgres", fresh: () => emptied(makeNew), bare: () => emptied(makeBare) };
}

/**
 * For tests that are about neither kind of database: PostgreSQL if it is installed, because it takes less CPU time, and
 * otherwise PGlite.
 */
export function onEither(): TestDatabases {
  return postgresMissing === undefined ? onPostgres() : onPglite();
}

/** Number of databases that this test worker has made. */
let made = 0;

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
  await main.run(SQL`create database ${quoteName(name)} ${uncheckedSql(how)}`);
  await main.close();
}
