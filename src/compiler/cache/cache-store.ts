/**
 * Where results of earlier compilations are kept. What is in it was put there by the very same code with the very same
 * dependencies, and is exactly what was put: a store takes care of both.
 */
export interface CacheStore {
  /**
   * What was put under a key; nothing when that is gone, or damaged, or cannot be read.
   * @param key as `cacheKey` makes them
   */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keeps bytes, as long as there is room for them. A store that cannot does not fail: it gives nothing later on. */
  put(key: string, bytes: Uint8Array): Promise<void>;
}
