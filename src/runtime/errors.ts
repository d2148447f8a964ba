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
    super("a handler needs data that has not been fetched yet");
    this.fetch = fetch;
  }
}

/** A deterministic failure, which every node would have at the same place. */
export class DeterministicError extends Error {
  override readonly name: string = "DeterministicError";
}

/**
 * A failure that graph-node does not take for one that every node would have: it tries the block again, later and later,
 * whether that can help or not, and answers queries as of the block before.
 */
export class RetriedError extends Error {
  override readonly name: string = "RetriedError";
}

/** What cannot be written when a block has ended: no handler alone is to blame. */
export class BlockError extends RetriedError {
  override readonly name = "BlockError";
  /** The block, none of which is written. */
  readonly block: { readonly number: number; readonly hash: string };

  constructor(block: { readonly number: number; readonly hash: string }, cause: RetriedError) {
    super(cause.message, { cause });
    this.block = { number: block.number, hash: block.hash };
  }
}

/** The handler of a file asked for what it cannot have: graph-node leaves its file out, and goes on. */
export class LeftOutError extends Error {
  override readonly name = "LeftOutError";
}
