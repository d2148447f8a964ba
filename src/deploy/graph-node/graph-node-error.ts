import type { ChangeFailure, ChangeOutcome } from "../../web/http/change-outcome.js";

/** What graph-node refused, or an answer of it that makes no sense; the message is for people and says what to do. */
export class GraphNodeError extends Error implements ChangeFailure {
  override readonly name = "GraphNodeError";
  /** Of JSON-RPC; absent when graph-node gave none. */
  readonly code: number | undefined;

  /** What is known of the deployment that it was asked for. */
  readonly outcome: ChangeOutcome;

  constructor(message: string, code?: number, outcome: ChangeOutcome = "undone") {
    super(message);
    this.code = code;
    this.outcome = outcome;
  }
}
