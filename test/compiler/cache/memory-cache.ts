import type { CacheStore } from "../../../src/compiler/cache/cache-store.js";

/** A cache in memory that counts its look-ups. */
export interface MemoryCache extends CacheStore {
  readonly entries: Map<string, Uint8Array>;
  /** The number of look-ups that found an entry, and of those that did not. */
  readonly counts: { found: number; missed: number };
}

/** An empty cache. It copies the bytes it stores, as a disk would. */
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
