import { resolve } from "node:path";
import { NoLocksError } from "../../base/lock-file.js";
import { visible } from "../../base/text/visible.js";
import { DumpError } from "../../dumps/dump-error.js";
import type { DumpFiles } from "../../dumps/dump-files.js";
import { openDumpFiles } from "../../machine/files/dump-files.js";
import { createNodeWorld } from "../../machine/world.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseError, type DatabaseWorld } from "../../store/open.js";
import {
  databaseFailure,
  placeOfSubgraphs,
  type SubgraphArguments,
} from "../pipeline/sources/open-subgraphs.js";
import type { RemoteArguments } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface DumpArguments extends SubgraphArguments, OutputArguments {
  readonly folder: string;
}

/** What a dump or a restore works with. */
export interface DumpPlace {
  readonly database: Database;
  readonly files: DumpFiles;
  readonly onProgress: (table: string, rows: number) => void;
}

/** Whether nothing names a database, or the command line names a server. @throws UsageError */
export function isOnServer(args: DumpArguments & RemoteArguments, terminal: Terminal): boolean {
  const isNamed = args.database !== undefined || args.data !== undefined;
  return placeOfSubgraphs(args, terminal) === undefined || (!isNamed && args.apiUrl !== undefined);
}

/**
 * Opens a database and the folder of a dump for the work of a command, and reports why either cannot be used.
 * @returns the exit code
 * @throws UsageError if nothing says where the database is
 */
export async function withDump(
  args: DumpArguments,
  terminal: Terminal,
  open: (place: string, world: DatabaseWorld, files: DumpFiles) => Promise<Database>,
  work: (place: DumpPlace) => Promise<number>,
): Promise<number> {
  const place = placeOfSubgraphs(args, terminal);
  if (place === undefined)
    throw new UsageError(
      "No database. Pass --database with a folder or an address of PostgreSQL, or --data as serve has it.",
    );
  const files = openDumpFiles(resolve(terminal.cwd, args.folder));
  const line = new StatusLine(terminal, () => performance.now());
  const onProgress = (table: string, rows: number): void => line.show(() => `${table}: ${rows} rows`);
  let database: Database | undefined;
  return explaining(terminal, async () => {
    try {
      database = await open(place, createNodeWorld(), files);
      return await work({ database, files, onProgress });
    } finally {
      line.end();
      await database?.close();
    }
  });
}

/** Runs the work of a command, and reports what is wrong with a dump, its folder or its database. @returns the exit code */
export async function explaining(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (terminal.signal.aborted) return exitCodes.interrupted;
    if (error instanceof DatabaseError) {
      terminal.err(`${visible(databaseFailure(error))}\n`);
      return exitCodes.remote;
    }
    if (!(error instanceof DumpError || error instanceof NoLocksError)) throw error;
    terminal.err(`${visible(error.message)}\n`);
    if ("hint" in error && error.hint !== undefined) terminal.err(`${visible(error.hint)}\n`);
    return exitCodes.diagnostics;
  }
}
