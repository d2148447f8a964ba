import type { Caller } from "../../people/access.js";
import type { Platform } from "../../platform.js";
import { type Log, readStatuses } from "../../subgraphs/read-statuses.js";
import { listVersionsOf } from "../../subgraphs/read-subgraphs.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";

/** The most versions that are looked at, newest first. */
const mostSeen = 20;

/** The newest other version of a subgraph that is indexed and has not failed. @throws DatabaseError */
export async function newestSound(
  platform: Platform,
  caller: Caller,
  { name, deployment }: SubgraphVersion,
  log: Log,
): Promise<SubgraphVersion | undefined> {
  const all = await listVersionsOf(platform, caller, name);
  const others = all
    .filter((one) => one.target === undefined && one.deployment !== deployment)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, mostSeen);
  const { known } = await readStatuses(platform.hosting, others, log);
  return others.find((one) => {
    const { health = "unknown", headBlock, startBlock = 0 } = known.get(one.deployment) ?? {};
    // The block before the first one counts as indexed from the start.
    return (
      headBlock !== undefined && headBlock >= startBlock && (health === "healthy" || health === "unhealthy")
    );
  });
}
