/** Something outside is missing that a handler asked for. Not a failure: it is fetched, and the handler runs again. */
export class Fault extends Error {
  override readonly name: string = "Fault";
  /** Gets what is missing, so that the next run finds it. */
  readonly fetch: () => Promise<void>;

  /** @param fetch gets what is missing, so that the next run finds it */
  constructor(fetch: () => Promise<void>) {
    super("a handler asked for what is not here yet");
    this.fetch = fetch;
  }
}

/** A failure that every node would have at the same place. */
export class DeterministicError extends Error {
  override readonly name: string = "DeterministicError";
}
