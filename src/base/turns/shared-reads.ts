/**
 * Lets simultaneous callers share one read. Unlike the work of a `SingleFlight`, a read begins after all of its
 * callers have asked, so it sees all earlier changes.
 */
export class SharedReads<Result> {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<Result>>();

  /** @throws errors of the read, to all callers that share it */
  read(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (!running) return this.#begin(key, work);
    const next = this.#next.get(key) ?? this.#afterwards(key, running, work);
    this.#next.set(key, next);
    return next;
  }

  async #afterwards(key: string, running: Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
    // Its own readers handle its failure.
    await running.catch(() => undefined);
    this.#next.delete(key);
    return this.#begin(key, work);
  }

  #begin(key: string, work: () => Promise<Result>): Promise<Result> {
    const read = work().finally(() => {
      if (this.#running.get(key) === read) this.#running.delete(key);
    });
    this.#running.set(key, read);
    return read;
  }
}
