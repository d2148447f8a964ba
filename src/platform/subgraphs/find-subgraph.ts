import type { Engine, Hosting } from "../../hosting/engine.js";
import type { Sql } from "../../store/database/database.js";
import type { Caller } from "../people/access.js";
import { Problem } from "../problem.js";
import { findVersion, type SubgraphVersion, type VersionName } from "./versions.js";

/** Names a version or a tag in the caller's project. */
export type EntryName = Omit<VersionName, "project">;

/** The full name of a version or a tag in the caller's project. */
export function nameIn({ project }: Caller, { name, version }: EntryName): VersionName {
  return { project, name, version };
}

/** A version or a tag. @throws Problem `subgraph-not-found`; DatabaseError */
export async function requireEntry(sql: Sql, name: VersionName): Promise<SubgraphVersion> {
  const found = await findVersion(sql, name);
  if (found) return found;
  throw new Problem("subgraph-not-found", `There is no subgraph "${name.name}/${name.version}".`);
}

/** A version. @throws Problem `subgraph-not-found`, or `unprocessable` for a tag; DatabaseError */
export async function requireVersion(sql: Sql, name: VersionName): Promise<SubgraphVersion> {
  const found = await requireEntry(sql, name);
  if (found.target === undefined) return found;
  throw new Problem(
    "unprocessable",
    `"${name.version}" is a tag of "${name.name}" that points to "${found.target}". Name a version instead.`,
  );
}

/** The engine with a name; undefined when the server was started without it. */
export function engineOf({ engines }: Pick<Hosting, "engines">, name: string): Engine | undefined {
  return engines.find((engine) => engine.name === name);
}

/** The engine of a version. @throws Problem `unavailable` when the server was started without it */
export function requireEngine(hosting: Hosting, { engine: name }: Pick<SubgraphVersion, "engine">): Engine {
  const engine = engineOf(hosting, name);
  if (engine) return engine;
  throw new Problem("unavailable", `This server was started without the engine "${name}".`);
}
