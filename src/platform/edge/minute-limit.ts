/** Limits how much each of many clients may do in a minute. */
export class MinuteLimit {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #minute = 0;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes an amount from a client's limit for this minute.
   * @returns seconds until the next minute, when too little is left; then nothing is taken
   */
  take(who: string, limit: number | undefined, amount: number): number | undefined {
    const now = this.#now();
    const minute = Math.floor(now / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.clear();
    }
    if (limit === undefined) return undefined;
    const taken = this.#counts.get(who) ?? 0;
    if (taken + amount > limit) return Math.ceil(((minute + 1) * 60_000 - now) / 1000);
    this.#counts.set(who, taken + amount);
    return undefined;
  }
}
