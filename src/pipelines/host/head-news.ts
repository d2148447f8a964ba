/** Tells several sources of new heads of one chain, each of every one that it has not heard of. */
export class HeadNews {
  readonly #wait: () => Promise<void>;
  #count = 0;
  #waiting: Promise<void> | undefined;

  /** @param wait resolves at the next new head, or after a while */
  constructor(wait: () => Promise<void>) {
    this.#wait = wait;
  }

  /** What a source hears from its first call on. */
  listener(): () => Promise<void> {
    let heard = this.#count;
    return async () => {
      // A head that came while the source was busy is news to it.
      if (heard === this.#count) await this.#next();
      heard = this.#count;
    };
  }

  #next(): Promise<void> {
    this.#waiting ??= this.#wait().finally(() => {
      this.#count += 1;
      this.#waiting = undefined;
    });
    return this.#waiting;
  }
}
