import { resolve } from "node:path";
import type { World } from "../../base/world.js";
import type { Database } from "./database.js";
import type { ImageStore } from "./pglite/images.js";

/** What databases need of the world. */
export type DatabaseWorld = Pick<World, "timeout" | "sleep" | "now">;

const server = /^postgres(?:ql)?:\/\//i;

/** Whether a text is the address of a PostgreSQL server; otherwise it is a folder. */
export function isAddress(text: string): boolean {
  return server.test(text);
}

/**
 * Opens a database: that of a server, or one that lies in a folder, which is made when it is not there.
 * @param place `postgres://user:password@host:port/database`, or the path of a folder
 * @param images what new databases in folders begin with
 * @throws DatabaseError that says what to do
 */
export async function openDatabase(
  place: string,
  world: DatabaseWorld,
  images?: ImageStore,
): Promise<Database> {
  if (isAddress(place)) {
    const { openPostgres } = await import("./postgres/postgres-database.js");
    return openPostgres(place, world);
  }
  const { openPglite } = await import("./pglite/pglite-database.js");
  return openPglite(resolve(place), world, images);
}
