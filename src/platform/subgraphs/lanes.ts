/** What waits for the work on one thing to end. */
interface Lane {
  waiting: { readonly work: () => Promise<void>; readonly done: Promise<void> } | undefined;
  readonly running: Promise<void>;
}

/**
 * Work on many things at once, and on each of them one after the other. Of what waits for the same thing, only the last
 * is done: it knows best what is wanted.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** Does work on a thing when it is its turn. It must not throw. @returns when it, or what took its place, is done */
  run(thing: string, work: () => Promise<void>): Promise<void> {
    const lane = this.#lanes.get(thing);
    if (!lane) return this.#start(thing, work);
    const done = lane.waiting?.done ?? lane.running.then(() => this.#next(thing, lane));
    lane.waiting = { work, done };
    return done;
  }

  /** When all that is being done is done. */
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
