import type { ChangeFailure, ChangeOutcome } from "./change-outcome.js";

/** Why an exchange gave no answer that could be used. */
export type HttpFailure =
  /** The address is no URL of the web, or a header cannot be sent. */
  | "unsendable"
  /** There was no connection: name, network, port or certificate. */
  | "unreachable"
  /** Nothing moved for as long as was allowed. */
  | "timeout"
  /** The connection broke off, or what came over it was not HTTP. */
  | "cut"
  /** The answer is longer than was allowed. */
  | "too-large"
  /** The answer went on and on, for longer than was allowed. */
  | "endless"
  /** The server points elsewhere, which is not followed. */
  | "redirected"
  /** The user does not want to wait any more. */
  | "interrupted";

/**
 * There is no answer to a request. The message is for people; it names the server (protocol, host and port) and never
 * its address's secrets nor a header.
 */
export class HttpError extends Error implements ChangeFailure {
  override readonly name = "HttpError";

  readonly kind: HttpFailure;
  /** The reason alone, without the server's name. */
  readonly reason: string;
  /** Whether the server may have done what it was asked for: it was to change something, and was being told. */
  readonly mayHaveHappened: boolean;

  constructor(
    kind: HttpFailure,
    text: { readonly message: string; readonly reason: string },
    mayHaveHappened: boolean,
    cause?: unknown,
  ) {
    super(text.message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = text.reason;
    this.mayHaveHappened = mayHaveHappened;
  }

  get outcome(): ChangeOutcome {
    return this.mayHaveHappened ? "open" : "undone";
  }
}
