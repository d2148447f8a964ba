import { reportFailure } from "../failures.js";
import { InternalError } from "../invariant.js";

/** The text that replaces a message that was not written for users. It fits between a colon and a period. */
export const unexpectedFailure = "unexpected failure; the log of graphloom has the details";

/**
 * The text of an error for users: its message, if we or a library created the error to report something. The message
 * of a bug, such as a TypeError, means nothing to users: its stack goes to the log instead.
 */
export function messageOf(error: unknown): string {
  if (error instanceof Error && !isUnexpected(error)) return error.message;
  reportFailure(error);
  return unexpectedFailure;
}

/** Whether an error comes from a bug rather than from an expected failure. */
export function isUnexpected(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  return (
    error instanceof InternalError ||
    mistakes.some((kind) => error instanceof kind) ||
    error.name === "DataCloneError" ||
    (error as NodeJS.ErrnoException).code === "ERR_ASSERTION"
  );
}

/** JavaScript's own errors for bugs. None of our errors extends these. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];
