/**
 * A handler needs data that has not been fetched yet. Not a failure: the data is fetched, and the handler
 * runs again.
 */
export class Fault extends Error {
  override readonly name: string = "Fault";
  /** Fetches the data for the next run. */
  readonly fetch: () => Promise<void>;

  /** @param fetch fetches the data for the next run */
  constructor(fetch: () => Promise<void>) {
    super("a handler asked for what is not here yet");
    this.fetch = fetch;
  }
}

/** A deterministic failure, which every node would have at the same place. */
export class DeterministicError extends Error {
  override readonly name: string = "DeterministicError";
}
