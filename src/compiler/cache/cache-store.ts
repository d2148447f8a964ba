/**
 * The storage of the compilation cache. An entry is only returned to the same code with the same
 * dependencies, and only intact: the store ensures both.
 */
export interface CacheStore {
  /**
   * Returns the entry of a key; `undefined` when it is missing, corrupt or unreadable.
   * @param key made by `cacheKey`
   */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores an entry, as long as there is room. A failure is silent: `get` finds nothing later. */
  put(key: string, bytes: Uint8Array): Promise<void>;
}
