/**
 * A handler needs data that has not been fetched yet. This is not a failure: the runtime fetches the data and runs
 * the handler again.
 */
export class Fault extends Error {
  override readonly name: string = "Fault";
  /** Fetches the data for the next run. */
  readonly fetch: () => Promise<void>;
  /** The entity that is missing, if it is one. */
  readonly entity: { readonly type: string; readonly id: string } | undefined;

  /** @param fetch fetches the data for the next run */
  constructor(fetch: () => Promise<void>, entity?: Fault["entity"]) {
    super("a handler needs data that has not been fetched yet");
    this.fetch = fetch;
    this.entity = entity;
  }
}

/** A deterministic failure, which would happen at the same place on every node. */
export class DeterministicError extends Error {
  override readonly name: string = "DeterministicError";
}

/**
 * A failure that graph-node does not treat as deterministic. It retries the block with growing delays, whether that can
 * help or not, and answers queries as of the previous block.
 */
export class RetriedError extends Error {
  override readonly name: string = "RetriedError";
}

/** The changes of a block cannot be written. No single handler is to blame. */
export class BlockError extends RetriedError {
  override readonly name = "BlockError";
  /** The block, of which nothing is written. */
  readonly block: { readonly number: number; readonly hash: string };

  constructor(block: { readonly number: number; readonly hash: string }, cause: RetriedError) {
    super(cause.message, { cause });
    this.block = { number: block.number, hash: block.hash };
  }
}

/** A file handler requested something it cannot access. Like graph-node, the runtime skips the file and continues. */
export class LeftOutError extends Error {
  override readonly name = "LeftOutError";
}
