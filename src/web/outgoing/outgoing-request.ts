import type { IncomingHttpHeaders } from "node:http";

/** A request to an address that a user gave. */
export interface OutgoingRequest {
  readonly url: string;
  /** `GET` when left out. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are for the address alone, and not sent on to where it redirects. */
  readonly secretHeaders?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  /** Bytes of the answer's body that are read. */
  readonly mostBytes: number;
  /** What is done with a longer answer: its beginning is given back, or it is an error, as when left out. */
  readonly excess?: "cut" | "refuse";
  /** How many redirections are followed; none when left out, and their answer is given back. */
  readonly redirects?: number;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** An answer; any status. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}
