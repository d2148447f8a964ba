import { LRUCache } from "lru-cache";
import type { World } from "../../base/world.js";

/** Milliseconds for which a value is shown before it is read again. */
const freshFor = 10_000;
const mostKept = 200;

/**
 * Caches the content of self-renewing pages for ten seconds, so that it is read once for all open pages. Failures are
 * not cached.
 * @returns a function that reads by key. The key contains everything that the result depends on, such as the project
 */
export function createKept<Value>(
  world: Pick<World, "now">,
): (key: string, read: (now: number) => Promise<Value>) => Promise<Value> {
  const kept = new LRUCache<string, { readonly at: number; readonly value: Promise<Value> }>({
    max: mostKept,
  });
  return (key, read) => {
    const now = world.now();
    const known = kept.get(key);
    if (known && Math.abs(now - known.at) < freshFor) return known.value;
    const value = read(now);
    kept.set(key, { at: now, value });
    value.catch(() => kept.delete(key));
    return value;
  };
}
