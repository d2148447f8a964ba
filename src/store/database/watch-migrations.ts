import type { World } from "../../base/world.js";
import { type Database, DatabaseError } from "./database.js";
import { findForeignMigration } from "./migrate.js";

/** Milliseconds between two looks. */
const pause = 10_000;

/**
 * Says, once, when another version of the program has changed the database while this one runs, as a rolling
 * update does. It goes on: what is changed is made to fit the version before it. Meanwhile `/ready` says so, too.
 * @param every milliseconds between two looks
 * @returns ends the watch
 */
export function watchMigrations(
  database: Database,
  world: Pick<World, "timeout">,
  say: (sentence: string) => void,
  every = pause,
): () => Promise<void> {
  let isOver = false;
  let looking: Promise<void> = Promise.resolve();
  const wait = (): void =>
    world.timeout(every).addEventListener("abort", () => {
      if (!isOver) looking = look();
    });
  const look = async (): Promise<void> => {
    const foreign = await found(database);
    if (foreign === undefined) return wait();
    say(
      `Another version of graphloom has migrated the database (${foreign}). Stop this server and start that version.`,
    );
  };
  wait();
  return () => {
    isOver = true;
    return looking;
  };
}

/** Whoever needs the database is told when it is away: it is looked at again. */
async function found(database: Database): Promise<string | undefined> {
  try {
    return await findForeignMigration(database);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return undefined;
  }
}
