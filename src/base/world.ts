/** The world outside the machine, and what no program can compute: network, clock, timers, chance. */
export interface World {
  /** As the platform's. */
  readonly fetch: (url: string, request: RequestInit & { duplex?: "half" }) => Promise<Response>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects when the user interrupts. */
  sleep(milliseconds: number): Promise<void>;
  /** A signal that is aborted after a time. */
  timeout(milliseconds: number): AbortSignal;
  /** At least 0, less than 1. */
  random(): number;
}
