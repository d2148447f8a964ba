import { visible } from "../../base/text/visible.js";
import { createNodeWorld } from "../../machine/world.js";
import type { Database } from "../../store/database/database.js";
import {
  DatabaseError,
  type DatabaseWorld,
  openExistingDatabase,
  openOwnDatabase,
} from "../../store/open.js";
import {
  databaseFailure,
  placeOfSubgraphs,
  type SubgraphArguments,
} from "../pipeline/sources/open-subgraphs.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/**
 * Does the work of a command with the database of the service, which is created if it does not exist. Reports if it
 * cannot be used.
 * @returns the exit code
 * @throws UsageError if no argument says where the database is
 */
export function withDatabase(args: SubgraphArguments, terminal: Terminal, work: Work): Promise<number> {
  return withOpened(args, terminal, openOwnDatabase, work);
}

/**
 * Does the work with a database that `data sync` has created: none is created for a mistyped place.
 * @throws UsageError
 */
export function withFilledDatabase(args: SubgraphArguments, terminal: Terminal, work: Work): Promise<number> {
  const open: Open = (place, world) =>
    openExistingDatabase(place, world, "graphloom data sync makes one, and fills it.");
  return withOpened(args, terminal, open, work);
}

type Work = (database: Database) => Promise<number>;
type Open = (place: string, world: DatabaseWorld) => Promise<Database>;

async function withOpened(
  args: SubgraphArguments,
  terminal: Terminal,
  open: Open,
  work: Work,
): Promise<number> {
  const place = placeOfSubgraphs(args, terminal);
  if (place === undefined)
    throw new UsageError(
      "No database. Pass --database with a folder or an address of PostgreSQL, or --data as serve has it.",
    );
  let database: Database | undefined;
  try {
    database = await open(place, createNodeWorld());
    return await work(database);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    terminal.err(`The database cannot be used: ${visible(databaseFailure(error))}\n`);
    return exitCodes.remote;
  } finally {
    await database?.close();
  }
}
