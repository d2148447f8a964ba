/**
 * The storage of the compilation cache. A store returns an entry only to the same code with the same dependencies,
 * and only if it is intact.
 */
export interface CacheStore {
  /**
   * Returns the entry for a key; `undefined` if it is missing, corrupt or unreadable.
   * @param key made by `cacheKey`
   */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores an entry if there is room. Failures are silent: a later `get` finds nothing. */
  put(key: string, bytes: Uint8Array): Promise<void>;
}
