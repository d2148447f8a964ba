/** Why a request did not bring an answer. */
export type OutgoingFailure =
  /** Not an address of HTTP. */
  | "bad-address"
  /** The address leads where users may not send anything. */
  | "refused-address"
  /** There was no connection. */
  | "unreachable"
  /** The connection broke off, or what came was not HTTP. */
  | "cut"
  | "time-out"
  | "too-long"
  | "redirected"
  /** Whoever asked has changed their mind. */
  | "stopped";

/** That a request did not bring an answer, in words that may be shown to whoever gave the address. */
export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
  readonly kind: OutgoingFailure;

  constructor(kind: OutgoingFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}
