/** Why a request got no answer. */
export type OutgoingFailure =
  /** Not an HTTP address. */
  | "bad-address"
  /** Users may not send requests to this address. */
  | "refused-address"
  /** No connection could be made. */
  | "unreachable"
  /** The connection was lost, or the answer was not HTTP. */
  | "cut"
  | "time-out"
  | "too-long"
  | "redirected"
  /** The caller aborted the request. */
  | "stopped";

/** A request got no answer. The message may be shown to the user who gave the address. */
export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
  readonly kind: OutgoingFailure;

  constructor(kind: OutgoingFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}
