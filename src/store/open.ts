import { resolve } from "node:path";
import type { World } from "../base/world.js";
import { type Database, DatabaseError, SQL } from "./database/database.js";
import type { ImageStore } from "./database/pglite/images.js";
import type { KeptStores } from "./kept-stores.js";
import type { SampleStores } from "./sample-stores.js";

export { DatabaseError } from "./database/database.js";

/** The parts of the world that databases need. */
export type DatabaseWorld = Pick<World, "timeout" | "sleep" | "now">;

const server = /^postgres(?:ql)?:\/\//i;

/** Whether a string is the address of a PostgreSQL server. Otherwise it is a folder. */
export function isAddress(text: string): boolean {
  return server.test(text);
}

/**
 * Opens a database on a server or in a folder. Creates a missing folder.
 * @param place `postgres://user:password@host:port/database`, or the path of a folder; without it the database lives in
 *   memory and ends with the process
 * @param images images for new databases that are not on a server
 * @throws DatabaseError with a hint
 */
export async function openDatabase(
  place: string | undefined,
  world: DatabaseWorld,
  images?: ImageStore,
): Promise<Database> {
  if (place !== undefined && isAddress(place)) {
    const { openPostgres } = await import("./database/postgres/postgres-database.js");
    return openPostgres(place, world);
  }
  const { openPglite } = await import("./database/pglite/pglite-database.js");
  return openPglite(place === undefined ? undefined : resolve(place), world, images);
}

/**
 * Opens a database that this or another command has created, and migrates it.
 * @param place as for `openDatabase`
 * @param hint the advice if there is none
 * @throws DatabaseError with a hint, also if there is no database at the place
 */
export async function openExistingDatabase(
  place: string,
  world: DatabaseWorld,
  hint = "Pass the one that run, dev or serve keeps.",
): Promise<Database> {
  const none = (): DatabaseError =>
    new DatabaseError("there is no database of graphloom at this place", { hint });
  if (!isAddress(place)) {
    const { holdsDatabase } = await import("./database/pglite/folder.js");
    if (!holdsDatabase(resolve(place))) throw none();
  }
  return migrated(await openDatabase(place, world), async (database) => {
    const [found] = await database.query(SQL`select to_regclass('graphloom.migrations') is not null as made`);
    if (found?.made !== "t") throw none();
  });
}

/**
 * Opens a database, creates it if it does not exist, and migrates it.
 * @param place as for `openDatabase`
 * @throws DatabaseError with a hint
 */
export async function openOwnDatabase(
  place: string | undefined,
  world: DatabaseWorld,
  images?: ImageStore,
): Promise<Database> {
  return migrated(await openDatabase(place, world, images));
}

/** Migrates a database, and closes it if that fails. @param check throws for a database that must not be changed */
async function migrated(
  database: Database,
  check?: (database: Database) => Promise<void>,
): Promise<Database> {
  try {
    await check?.(database);
    const { migrate } = await import("./database/migrate.js");
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Opens a database that is not graphloom's own: it is not migrated, and may have any encoding and order.
 * @param address `postgres://user:password@host:port/database`
 * @throws DatabaseError with a hint
 */
export async function openForeignDatabase(address: string, world: DatabaseWorld): Promise<Database> {
  const { openPostgres } = await import("./database/postgres/postgres-database.js");
  return openPostgres(address, world, { connections: 2, isForeign: true });
}

/**
 * Opens a database to administer its cluster. Tenants may have created functions in it, so statements do not use any.
 * @param address `postgres://user:password@host:port/database`
 * @throws DatabaseError with a hint
 */
export async function openAdministration(address: string, world: DatabaseWorld): Promise<Database> {
  const { openPostgres } = await import("./database/postgres/postgres-database.js");
  return openPostgres(address, world, { connections: 2, isForeign: true, isWary: true });
}

/**
 * Opens and migrates a database that keeps the entities of builds between runs.
 * @param place as for `openDatabase`
 * @param options.proofs whether new deployments keep proofs of indexing; true by default
 * @throws DatabaseError
 */
export async function openKeptStores(
  place: string,
  world: DatabaseWorld,
  { proofs = true, images }: { readonly proofs?: boolean; readonly images?: ImageStore | undefined } = {},
): Promise<KeptStores> {
  const database = await openDatabase(place, world, images);
  try {
    const [{ migrate }, { KeptStores }] = await Promise.all([
      import("./database/migrate.js"),
      import("./kept-stores.js"),
    ]);
    await migrate(database);
    return new KeptStores(database, proofs);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Opens a database in memory for samples of builds.
 * @throws DatabaseError
 */
export async function openSampleStores(world: DatabaseWorld, images?: ImageStore): Promise<SampleStores> {
  const database = await openDatabase(undefined, world, images);
  try {
    const [{ migrate }, { SampleStores }] = await Promise.all([
      import("./database/migrate.js"),
      import("./sample-stores.js"),
    ]);
    await migrate(database);
    return new SampleStores(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}
