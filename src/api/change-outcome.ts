import { HttpError } from "../web/http/http-error.js";
import { ApiAnswerError } from "./answer-error.js";
import { operationOf } from "./api-document.js";
import { ApiProblem } from "./problem.js";

/** What an error tells about the change that a server was asked for. */
export type ChangeOutcome =
  /** It was not made. */
  | "undone"
  /** The server came to an end with it, and may have made it: asking tells. */
  | "ended"
  /** It may have been made, may still be, or was never heard of. */
  | "open";

/** What is known after an operation of the API has failed. Whatever is no error of a server came before it. */
export function changeOutcome(error: unknown): ChangeOutcome {
  if (error instanceof HttpError) return error.mayHaveHappened ? "open" : "undone";
  if (!(error instanceof ApiProblem || error instanceof ApiAnswerError)) return "undone";
  if (operationOf(error.operation).method === "GET") return "undone";
  if (error instanceof ApiAnswerError) return "open";
  if (error.status < 500) return "undone";
  // What stands before the API gives up on it sooner than the API itself.
  return error.status === 500 ? "ended" : "open";
}
