import { join, resolve } from "node:path";
import { createNodeWorld } from "../../../machine/world.js";
import type { SubgraphNames } from "../../../pipelines/plan/open-catalog.js";
import type { SubgraphCatalog } from "../../../pipelines/plan/subgraph-catalog.js";
import { buildsNamed, isPausedBuild, subgraphNames } from "../../../platform/subgraphs/named-builds.js";
import type { Database } from "../../../store/database/database.js";
import { DatabaseError, isAddress, openExistingDatabase } from "../../../store/open.js";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";

/** Arguments that say where subgraphs are. */
export interface SubgraphArguments {
  /** A folder, or the address of a PostgreSQL database. */
  readonly database?: string | undefined;
  /** The folder of `dev` or `serve`. */
  readonly data?: string | undefined;
}

/** A database of subgraphs that is open. */
export interface OpenSubgraphs {
  readonly database: Database;
  readonly catalog: SubgraphCatalog;
}

/**
 * Where the subgraphs are, by the rules of `serve`: an address or a path.
 * @returns `undefined` if nothing says it
 * @throws UsageError for an empty argument
 */
export function placeOfSubgraphs(
  { database, data }: SubgraphArguments,
  { cwd, env = {} }: Pick<Terminal, "cwd" | "env">,
): string | undefined {
  if (database === "")
    throw new UsageError("--database requires a folder, or the address of a PostgreSQL database.");
  if (data === "") throw new UsageError("--data requires a folder.");
  const given = database ?? (env.GRAPHLOOM_DATABASE || undefined);
  if (given !== undefined) return isAddress(given) ? given : resolve(cwd, given);
  return data === undefined ? undefined : join(resolve(cwd, data), "database");
}

/** The same for a definition that reads entities. @throws UsageError if nothing says it */
export function requiredPlace(args: SubgraphArguments, terminal: Pick<Terminal, "cwd" | "env">): string {
  const place = placeOfSubgraphs(args, terminal);
  if (place !== undefined) return place;
  throw new UsageError(
    "No database of subgraphs, and a source reads their entities. Pass --database or --data, as the command has them that indexes the subgraphs.",
  );
}

/**
 * Opens the database of subgraphs, which another command writes.
 * @throws DatabaseError with what to do
 */
export async function openSubgraphs(place: string): Promise<OpenSubgraphs> {
  const database = await openExistingDatabase(place, createNodeWorld()).catch((error: unknown) => {
    throw error instanceof DatabaseError && /is in use by/.test(error.message) ? inUse(error) : error;
  });
  // It brings the parser of subgraph schemas, which most definitions do without.
  const { openSubgraphCatalog } = await import("../../../pipelines/plan/open-catalog.js");
  return { database, catalog: openSubgraphCatalog(database, namesIn(database)) };
}

/** The subgraph names in a database. */
export function namesIn(database: Database): SubgraphNames {
  return {
    named: (name) => buildsNamed(database, name),
    all: () => subgraphNames(database),
    isPaused: (build) => isPausedBuild(database, build),
  };
}

/** A folder is for one process, which is not the one that indexes then. */
function inUse(error: DatabaseError): DatabaseError {
  return new DatabaseError(error.message, {
    hint: "Only one process can use a folder. Stop that one, or let it keep the subgraphs in a PostgreSQL server, which a pipeline can read at the same time: --database postgres://…",
    cause: error,
  });
}

/** What went wrong with the database, on one line. */
export function databaseFailure({ message, hint }: DatabaseError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
