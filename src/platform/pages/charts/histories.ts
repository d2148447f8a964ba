import { rangeOf } from "../../figures/ranges.js";
import { type History, readHistory } from "../../figures/read-history.js";
import type { Platform } from "../../platform.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import { createKept } from "../kept-for.js";

/** Reads the history of a version or a tag for the range with a name. @throws DatabaseError */
export type ReadHistory = (entry: SubgraphVersion, range: string | null) => Promise<History>;

/** Caches histories for self-renewing pages. New figures come once a minute. */
export function createHistories({ database, world }: Pick<Platform, "database" | "world">): ReadHistory {
  const kept = createKept<History>(world);
  return (entry, named) => {
    const range = rangeOf(named);
    const key = [entry.project, entry.name, entry.deployment, range.name].join("\n");
    return kept(key, (now) => readHistory(database, entry, range, now));
  };
}
