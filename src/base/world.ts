/** Everything that is not a function of the input: network, clock, timers, randomness. */
export interface World {
  /** Like the platform's own `fetch`. */
  readonly fetch: (url: string, request: RequestInit & { duplex?: "half" }) => Promise<Response>;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Waits. Rejects when the user interrupts. */
  sleep(milliseconds: number): Promise<void>;
  /** A signal that is aborted after a time. */
  timeout(milliseconds: number): AbortSignal;
  /** A random number: at least 0, less than 1. */
  random(): number;
}
