import type { ChangeFailure, ChangeOutcome } from "../../web/http/change-outcome.js";

/** graph-node refused a request, or its response is invalid; the message tells the user what to do. */
export class GraphNodeError extends Error implements ChangeFailure {
  override readonly name = "GraphNodeError";
  /** JSON-RPC error code; absent if graph-node sent none. */
  readonly code: number | undefined;

  /** The outcome of the requested deployment. */
  readonly outcome: ChangeOutcome;

  constructor(message: string, code?: number, outcome: ChangeOutcome = "undone") {
    super(message);
    this.code = code;
    this.outcome = outcome;
  }
}
