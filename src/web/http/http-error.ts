import type { ChangeFailure, ChangeOutcome } from "./change-outcome.js";

/** Why an exchange gave no usable response. */
export type HttpFailure =
  /** The address is not a web URL, or a header holds characters that cannot be sent. */
  | "unsendable"
  /** The connection could not be made: name, network, port or certificate. */
  | "unreachable"
  /** No progress within the time limit. */
  | "timeout"
  /** The connection broke off, or the response was not HTTP. */
  | "cut"
  /** The response exceeds the size limit. */
  | "too-large"
  /** The response kept coming beyond the time limit for a whole response. */
  | "endless"
  /** The server redirected, which only the caller may follow. */
  | "redirected"
  /** The user interrupted. */
  | "interrupted";

/**
 * A request that got no response. The message is for people; it names the server (protocol, host and port)
 * and never the secrets of its address nor a header.
 */
export class HttpError extends Error implements ChangeFailure {
  override readonly name = "HttpError";

  readonly kind: HttpFailure;
  /** The reason alone, without the server's name. */
  readonly reason: string;
  /** Whether the server may have carried out the request: it was a change, and sending had begun. */
  readonly mayHaveHappened: boolean;
  /** The address that the server redirected to, if it is a web URL. */
  readonly target: URL | undefined;

  constructor(
    kind: HttpFailure,
    text: { readonly message: string; readonly reason: string },
    mayHaveHappened: boolean,
    cause?: unknown,
    target?: URL,
  ) {
    super(text.message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = text.reason;
    this.mayHaveHappened = mayHaveHappened;
    this.target = target;
  }

  get outcome(): ChangeOutcome {
    return this.mayHaveHappened ? "open" : "undone";
  }
}
