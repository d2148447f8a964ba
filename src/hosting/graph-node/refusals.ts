import { GraphNodeRefusal } from "../../deploy/graph-node/admin.js";

/** Why a deployment is missing at graph-node although it was requested. */
export interface Setback {
  /**
   * `refused`: graph-node rejects the build as it is. `waits`: it will accept it once something else exists. `failed`:
   * it did not answer or could not do it.
   */
  readonly kind: "refused" | "waits" | "failed";
  readonly why: string;
}

/** Temporary reasons. */
const passing = [
  // The base must first advance or be deployed again.
  /graft base is invalid: deployment not found/,
  /failed to graft onto .*(?:has not processed|no blocks|reorg threshold|not healthy\. You can graft it)/s,
  // The chain must first reach the block.
  /the specified block \d+ must exist/,
];

/**
 * Interprets a failed attempt to deploy.
 * @param isBaseHere whether the graft's base should be at graph-node too
 * @param whyOf describes the error
 */
export function setbackOf(error: unknown, isBaseHere: boolean, whyOf: (error: unknown) => string): Setback {
  const why = whyOf(error);
  if (!(error instanceof GraphNodeRefusal) || error.outcome !== "undone") return { kind: "failed", why };
  const isOfGraft = /graft/.test(error.said);
  const passes = passing.some((pattern) => pattern.test(error.said)) && (!isOfGraft || isBaseHere);
  return { kind: passes ? "waits" : "refused", why };
}
