import type { Meters } from "./meters.js";

/** Sends what a server does to a collector of traces. */
export interface Tracing {
  /** Records work that is complete. It belongs to the request within which it is reported, if to any. */
  readonly meters: Partial<Meters>;
  /**
   * A request has arrived.
   * @param parent the header `traceparent`, which anyone can send
   */
  begin(method: string, parent: string | undefined): TracedRequest;
  /** Sends what is left, within a few seconds. */
  close(): Promise<void>;
}

/** A request that a server handles. */
export interface TracedRequest {
  /** Calls a function, and all that it starts, within the request. */
  within(work: () => void): void;
  /** @param route the declared route: `/health`; `none` without a route */
  end(answer: { readonly route: string; readonly status: number }): void;
}
