import { reportFailure } from "../../base/failures.js";
import { guarded } from "../../base/turns/guarded.js";
import type { World } from "../../base/world.js";
import { type Database, DatabaseError } from "./database.js";
import { findForeignMigration } from "./migrate.js";

/** Milliseconds between checks. */
const pause = 10_000;

/**
 * Logs once that another version of the program has changed the database while this one runs, as in a rolling update.
 * The program continues: migrations stay compatible with the previous version. `/ready` reports it too.
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
  const wait = (): void => world.timeout(every).addEventListener("abort", guarded(begin, reportFailure));
  const begin = (): Promise<void> | undefined => {
    if (isOver) return undefined;
    looking = look();
    return looking;
  };
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

/** Ignore errors, which other callers will meet. The next check tries again. */
async function found(database: Database): Promise<string | undefined> {
  try {
    return await findForeignMigration(database);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return undefined;
  }
}
