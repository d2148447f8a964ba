import type { ChangeFailure, ChangeOutcome } from "../../web/http/change-outcome.js";
import { type AnyOperationId, methodOf } from "../operation-method.js";

/**
 * A successful response of the API that does not match the contract. The message is one line that names the operation
 * and the place.
 */
export class ApiAnswerError extends Error implements ChangeFailure {
  override readonly name = "ApiAnswerError";

  readonly operation: AnyOperationId;

  /** @param what the mistake, as the rest of a sentence that begins with "the API's answer to listSubgraphs" */
  constructor(operation: AnyOperationId, what: string) {
    super(`the API's answer to ${operation} ${what}`);
    this.operation = operation;
  }

  /** After this error, it is unknown whether a changing operation was carried out. */
  get outcome(): ChangeOutcome {
    return methodOf(this.operation) === "GET" ? "undone" : "open";
  }
}
