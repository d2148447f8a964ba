import { visible } from "../../base/visible.js";
import { createNodeWorld } from "../../node/world.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseError, openOwnDatabase } from "../../store/open.js";
import { databaseFailure, placeOfSubgraphs, type SubgraphArguments } from "../pipeline/open-subgraphs.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/**
 * Does the work of a command with the database of the service, and reports when it cannot be used.
 * @returns the exit code
 * @throws UsageError if no argument says where the database is
 */
export async function withDatabase(
  args: SubgraphArguments,
  terminal: Terminal,
  work: (database: Database) => Promise<number>,
): Promise<number> {
  const place = placeOfSubgraphs(args, terminal);
  if (place === undefined)
    throw new UsageError(
      "No database. Pass --database with a folder or an address of PostgreSQL, or --data as serve has it.",
    );
  let database: Database | undefined;
  try {
    database = await openOwnDatabase(place, createNodeWorld());
    return await work(database);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    terminal.err(`The database cannot be used: ${visible(databaseFailure(error))}\n`);
    return exitCodes.remote;
  } finally {
    await database?.close();
  }
}
