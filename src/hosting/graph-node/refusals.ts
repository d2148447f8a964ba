import { GraphNodeRefusal } from "../../deploy/graph-node/admin.js";

/** Why a deployment is not at graph-node, though it was to be. */
export interface Setback {
  /**
   * `refused`: graph-node will not take the build as it is. `waits`: it will, once something else is there. `failed`: it
   * could not be asked, or could not do it.
   */
  readonly kind: "refused" | "waits" | "failed";
  readonly why: string;
}

/** What passes by itself. */
const passing = [
  // The base has to come further, or to come back first.
  /graft base is invalid: deployment not found/,
  /failed to graft onto .*(?:has not processed|no blocks|reorg threshold|not healthy\. You can graft it)/s,
  // The chain has to come there.
  /the specified block \d+ must exist/,
];

/**
 * What became of an attempt to deploy.
 * @param isBaseHere whether the graft's base is to be at graph-node, too
 * @param whyOf what is said of it
 */
export function setbackOf(error: unknown, isBaseHere: boolean, whyOf: (error: unknown) => string): Setback {
  const why = whyOf(error);
  if (!(error instanceof GraphNodeRefusal) || error.outcome !== "undone") return { kind: "failed", why };
  const isOfGraft = /graft/.test(error.said);
  const passes = passing.some((pattern) => pattern.test(error.said)) && (!isOfGraft || isBaseHere);
  return { kind: passes ? "waits" : "refused", why };
}
