import type { FastifyBaseLogger } from "fastify";
import type { Subgraph } from "../../api/contract.js";
import { groupBy } from "../../base/group-by.js";
import type { Engine, HostedStatus, Hosting } from "../../hosting/engine.js";
import type { Sql } from "../../store/database/database.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { placedStatus } from "./config-places.js";
import { showSubgraph } from "./show-subgraph.js";
import { findVersion, type SubgraphVersion, type VersionName } from "./versions.js";

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
    `"${name.version}" is a tag of "${name.name}"; name a version: it points to "${found.target}".`,
  );
}

/** Versions and tags as the API shows them, with how it goes with them now. */
export async function showEntries(
  entries: readonly SubgraphVersion[],
  { database, hosting, settings }: Platform,
  log: FastifyBaseLogger,
): Promise<readonly Subgraph[]> {
  const statuses = new Map<string, HostedStatus>();
  for (const [name, own] of groupBy(entries, ({ engine }) => engine)) {
    const deployments = [...new Set(own.map(({ deployment }) => deployment))];
    for (const [deployment, status] of await statusesOf(engineOf(hosting, name), deployments, log)) {
      statuses.set(deployment, status);
    }
  }
  const address = settings.address();
  const shown: Subgraph[] = [];
  for (const entry of entries) {
    const status = statuses.get(entry.deployment);
    shown.push(showSubgraph(entry, status && (await placedStatus(database, entry, status)), address));
  }
  return shown;
}

/** The engine with a name; nothing when the server was started without it. */
export function engineOf(hosting: Hosting, name: string): Engine | undefined {
  return hosting.engines.find((engine) => engine.name === name);
}

/** What is deployed is known without its engine, too: how it goes with it is unknown then. */
async function statusesOf(
  engine: Engine | undefined,
  deployments: readonly string[],
  log: FastifyBaseLogger,
): Promise<ReadonlyMap<string, HostedStatus>> {
  if (!engine) return new Map();
  try {
    return await engine.status(deployments);
  } catch (error) {
    log.warn({ err: error, engine: engine.name }, "an engine does not say how its deployments are");
    return new Map();
  }
}
