/** A map with a maximum total weight. Drops the oldest entries first; the newest entry always stays. */
export class WeightedMap<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly weight: number }>();
  readonly #most: number;
  #weight = 0;

  /** @param most the total weight above which values are dropped */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** The values, in the order in which they were added. */
  get values(): readonly V[] {
    return [...this.#entries.values()].map(({ value }) => value);
  }

  get keys(): readonly K[] {
    return [...this.#entries.keys()];
  }

  /** Adds a value, or replaces one in its place. */
  set(key: K, value: V, weight: number): void {
    this.#weight += weight - (this.#entries.get(key)?.weight ?? 0);
    this.#entries.set(key, { value, weight });
    for (const other of this.#entries.keys()) {
      if (this.#weight <= this.#most) break;
      if (other !== key) this.delete(other);
    }
  }

  delete(key: K): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
