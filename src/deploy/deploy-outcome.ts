import { type ChangeOutcome, changeOutcome } from "../api/change-outcome.js";
import { GraphNodeError } from "./graph-node/graph-node-error.js";

/** What is known after a target has failed to deploy, to tag or to describe. */
export function deployOutcome(error: unknown): ChangeOutcome {
  return error instanceof GraphNodeError ? error.outcome : changeOutcome(error);
}
