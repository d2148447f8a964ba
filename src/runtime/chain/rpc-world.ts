import type { Fetch } from "./endpoint.js";

/** What the client needs of the world. */
export interface RpcWorld {
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** A signal that is aborted after a time. */
  timeout(milliseconds: number): AbortSignal;
  /** At least 0, less than 1. */
  random(): number;
}
