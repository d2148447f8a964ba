import { LRUCache } from "lru-cache";
import { rangeOf } from "../../figures/ranges.js";
import { type History, readHistory } from "../../figures/read-history.js";
import type { Platform } from "../../platform.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";

/** Milliseconds for which a history is shown before it is read again. New figures come once a minute. */
const freshFor = 10_000;
const mostKept = 200;

/** Reads the history of a version or a tag for the range with a name. @throws DatabaseError */
export type ReadHistory = (entry: SubgraphVersion, range: string | null) => Promise<History>;

/** Histories for pages that renew themselves: each is read once in a while, however many pages show it. */
export function createHistories({ database, world }: Pick<Platform, "database" | "world">): ReadHistory {
  const kept = new LRUCache<string, { readonly at: number; readonly history: Promise<History> }>({
    max: mostKept,
  });
  return (entry, named) => {
    const range = rangeOf(named);
    const key = [entry.project, entry.name, entry.deployment, range.name].join("\n");
    const now = world.now();
    const known = kept.get(key);
    if (known && now - known.at < freshFor) return known.history;
    const history = readHistory(database, entry, range, now);
    kept.set(key, { at: now, history });
    history.catch(() => kept.delete(key));
    return history;
  };
}
