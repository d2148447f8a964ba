import type { IncomingHttpHeaders } from "node:http";
import type { ServerTls } from "../../base/server-tls.js";

/** A request to an address that a user gave. */
export interface OutgoingRequest {
  readonly url: string;
  /** `GET` when left out. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers for this address only; a redirect to another origin does not carry them. */
  readonly secretHeaders?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** The most bytes of the answer's body to read. */
  readonly mostBytes: number;
  /** How to treat a longer answer: `cut` returns its beginning, and `refuse` (the default) is an error. */
  readonly excess?: "cut" | "refuse";
  /** The most redirects to follow. By default none, and the redirect itself is returned. */
  readonly redirects?: number;
  /** How to check the server's certificate; fully by default. */
  readonly tls?: ServerTls | undefined;
  readonly signal?: AbortSignal;
}

/** An answer; any status. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}
