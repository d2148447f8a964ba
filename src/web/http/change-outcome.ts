/** What an error tells about the change that a server was asked for. */
export type ChangeOutcome =
  /** It was not made. */
  | "undone"
  /** The server came to an end with it, and may have made it: asking tells. */
  | "ended"
  /** It may have been made, may still be, or was never heard of. */
  | "open";

/** An error of a server, which knows. */
export interface ChangeFailure extends Error {
  readonly outcome: ChangeOutcome;
}

/** What is known of a change that has failed like this. Whatever is no error of a server came before it. */
export function changeOutcome(error: unknown): ChangeOutcome {
  return isChangeFailure(error) ? error.outcome : "undone";
}

function isChangeFailure(error: unknown): error is ChangeFailure {
  return error instanceof Error && "outcome" in error;
}

/** What an answer with this status leaves open; for those that are no success. */
export function outcomeOfStatus(status: number): ChangeOutcome {
  if (status < 500) return "undone";
  // What stands before a server gives up on it sooner than the server itself.
  return status === 500 ? "ended" : "open";
}
