/** The memory of a server and its processes. */
export interface MemoryGuard {
  /** Bytes that are used now. */
  used(): number;
  /** Bytes that may be used. */
  readonly limit: number;
  /**
   * Refuses work that needs much memory if too little is left.
   * @throws ShortOfMemoryError
   */
  require(): void;
}

/** The server has too little memory left for more work. */
export class ShortOfMemoryError extends Error {
  override readonly name = "ShortOfMemoryError";
  /** Seconds after which another try may succeed. */
  readonly retryAfter = 10;

  constructor() {
    super(
      "The server is short of memory, so it takes no uploads, checks or previews for the moment. Try again in 10 seconds.",
    );
  }
}
