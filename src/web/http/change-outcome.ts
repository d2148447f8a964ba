/** What an error reveals about a requested change. */
export type ChangeOutcome =
  /** The change was not made. */
  | "undone"
  /** The server finished the request and may have made the change: a query shows whether it did. */
  | "ended"
  /** The change may have been made, may be in progress, or may never have reached the server. */
  | "open";

/** An error that knows the outcome of the change. */
export interface ChangeFailure extends Error {
  readonly outcome: ChangeOutcome;
}

/**
 * The outcome of a change that failed with this error. An error of any other kind was thrown before the
 * request was sent.
 */
export function changeOutcome(error: unknown): ChangeOutcome {
  return isChangeFailure(error) ? error.outcome : "undone";
}

function isChangeFailure(error: unknown): error is ChangeFailure {
  return error instanceof Error && "outcome" in error;
}

/** The outcome that the status of an error response implies. */
export function outcomeOfStatus(status: number): ChangeOutcome {
  if (status < 500) return "undone";
  // A proxy in front of the server may time out before the server does.
  return status === 500 ? "ended" : "open";
}
