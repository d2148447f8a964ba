/** Loads things by name, and caches the most recently used ones, up to a total weight. */
export class WeightedCache<T> {
  readonly #kept = new Map<string, { readonly value: Promise<T>; readonly weight: number }>();
  readonly #most: number;
  #weight = 0;

  /** @param most the total weight above which the least recently used are dropped; the most recent one stays */
  constructor(most: number) {
    this.#most = most;
  }

  /** The result of `read`, which is only called if there is no cached result. Failures are not cached. */
  get(name: string, weight: number, read: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(name);
    if (known) {
      this.#kept.delete(name);
      this.#kept.set(name, known);
      return known.value;
    }
    const value = read();
    this.#kept.set(name, { value, weight });
    this.#weight += weight;
    value.catch(() => this.#drop(name));
    for (const [other] of this.#kept) {
      if (this.#weight <= this.#most || other === name) break;
      this.#drop(other);
    }
    return value;
  }

  #drop(name: string): void {
    this.#weight -= this.#kept.get(name)?.weight ?? 0;
    this.#kept.delete(name);
  }
}
