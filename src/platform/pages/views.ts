import type { SubgraphVersion } from "../catalog/versions.js";
import { findVersion, listVersions } from "../catalog/versions.js";
import type { Engine, HostedStatus } from "../hosting/engine.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";

/** A version or a tag, and how it goes with what it shows. */
export interface Shown {
  readonly entry: SubgraphVersion;
  /** Nothing when the engine does not know it, or cannot be asked. */
  readonly status?: HostedStatus;
}

/** As many versions and tags as a page shows. */
const mostShown = 500;

/** All versions and tags of a project. @throws DatabaseError */
export async function readOverview(platform: Platform, project: string): Promise<readonly Shown[]> {
  const entries = await listVersions(platform.database, project, { limit: mostShown });
  const statuses = new Map<string, HostedStatus>();
  for (const name of new Set(entries.map(({ engine }) => engine))) {
    const engine = engineOf(platform, name);
    const own = entries.filter((entry) => entry.engine === name).map(({ deployment }) => deployment);
    const found = await engine?.status([...new Set(own)]).catch(() => undefined);
    for (const [deployment, status] of found ?? []) statuses.set(deployment, status);
  }
  return entries.map((entry) => {
    const status = statuses.get(entry.deployment);
    return status ? { entry, status } : { entry };
  });
}

/** A version or a tag of a project. @throws Problem when there is none; DatabaseError */
export async function requireEntry(
  platform: Platform,
  project: string,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<SubgraphVersion> {
  const entry = await findVersion(platform.database, { project, name, version });
  if (entry) return entry;
  throw new Problem("subgraph-not-found", `The project has no ${name}/${version}.`);
}

/** The engine with a name; nothing when the server was started without it. */
export function engineOf({ hosting }: Platform, name: string): Engine | undefined {
  return hosting.engines.find((engine) => engine.name === name);
}

/** How far a deployment is, from 0 to 100; nothing when the head of the chain is not known. */
export function percentOf({ startBlock, headBlock, chainHeadBlock }: HostedStatus): number | undefined {
  if (chainHeadBlock === undefined) return undefined;
  if (headBlock === undefined) return 0;
  const all = chainHeadBlock - startBlock + 1;
  const done = headBlock - startBlock + 1;
  return all <= 0 ? 100 : Math.max(0, Math.min(100, (done / all) * 100));
}
