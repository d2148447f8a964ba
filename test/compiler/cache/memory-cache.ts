import type { CacheStore } from "../../../src/compiler/cache/cache-store.js";

/** A cache in memory, and what was asked of it. */
export interface MemoryCache extends CacheStore {
  readonly entries: Map<string, Uint8Array>;
  /** How often something was found, and how often not. */
  readonly counts: { found: number; missed: number };
}

/** An empty cache; what is put is copied, as on a disk. */
export function memoryCache(): MemoryCache {
  const entries = new Map<string, Uint8Array>();
  const counts = { found: 0, missed: 0 };
  return {
    entries,
    counts,
    get: async (key) => {
      const bytes = entries.get(key);
      counts[bytes ? "found" : "missed"] += 1;
      return bytes?.slice();
    },
    put: async (key, bytes) => void entries.set(key, bytes.slice()),
  };
}
