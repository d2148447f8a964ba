/** The running work on one thing, and the work that waits for it. */
interface Lane {
  waiting: { readonly work: () => Promise<void>; readonly done: Promise<void> } | undefined;
  readonly running: Promise<void>;
}

/**
 * Runs work on many things concurrently, but work on the same thing in sequence. Of the work that waits for one thing,
 * only the last is done: it has the newest information.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** Runs work on a thing in its turn. The work must not throw. Resolves when it, or the work that replaced it, is done. */
  run(thing: string, work: () => Promise<void>): Promise<void> {
    const lane = this.#lanes.get(thing);
    if (!lane) return this.#start(thing, work);
    const done = lane.waiting?.done ?? lane.running.then(() => this.#next(thing, lane));
    lane.waiting = { work, done };
    return done;
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all([...this.#lanes.values()].map(({ running }) => running));
  }

  #start(thing: string, work: () => Promise<void>): Promise<void> {
    const lane: Lane = {
      waiting: undefined,
      running: work().then(() => {
        if (!lane.waiting) this.#lanes.delete(thing);
      }),
    };
    this.#lanes.set(thing, lane);
    return lane.running;
  }

  #next(thing: string, { waiting }: Lane): Promise<void> {
    return waiting ? this.#start(thing, waiting.work) : Promise.resolve();
  }
}
