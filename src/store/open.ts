import { resolve } from "node:path";
import type { World } from "../base/world.js";
import type { Database } from "./database/database.js";
import type { ImageStore } from "./database/pglite/images.js";
import type { KeptStores } from "./kept-stores.js";

export { DatabaseError } from "./database/database.js";

/** What databases need of the world. */
export type DatabaseWorld = Pick<World, "timeout" | "sleep" | "now">;

const server = /^postgres(?:ql)?:\/\//i;

/** Whether a text is the address of a PostgreSQL server; otherwise it is a folder. */
export function isAddress(text: string): boolean {
  return server.test(text);
}

/**
 * Opens a database: that of a server, or one that lies in a folder, which is made when it is not there.
 * @param place `postgres://user:password@host:port/database`, or the path of a folder; nothing for a database in memory,
 *   which is gone with the process
 * @param images what new databases that are not on a server begin with
 * @throws DatabaseError that says what to do
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
 * Opens a database that keeps the entities of builds between runs, and brings it up to date.
 * @param place as `openDatabase` has it
 * @throws DatabaseError
 */
export async function openKeptStores(
  place: string,
  world: DatabaseWorld,
  images?: ImageStore,
): Promise<KeptStores> {
  const database = await openDatabase(place, world, images);
  try {
    const [{ migrate }, { KeptStores }] = await Promise.all([
      import("./database/migrate.js"),
      import("./kept-stores.js"),
    ]);
    await migrate(database);
    return new KeptStores(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}
