import type { ToldStatus } from "../../deploy/graph-node/told-status.js";
import type { AskedDeployment } from "../../store/deployments/graph-node-deployments.js";
import type { HostedHold } from "../engine.js";

/** What the catalog wants of a deployment. */
export type Wish = "started" | "paused";

/** What is known of a deployment before something is done. */
export interface Situation {
  readonly wish: Wish;
  /** The name that this server gives it. */
  readonly name: string;
  /** What graph-node tells of it; nothing when it does not have it. */
  readonly told: Pick<ToldStatus, "node" | "paused"> | undefined;
  /** What this server has asked for, and got. */
  readonly asked: AskedDeployment | undefined;
  /** Whether it was deployed just now. */
  readonly isDeployed?: boolean;
}

/** What is to be asked of graph-node next, so that it has what is wanted. */
export interface NextStep {
  readonly step: "deploy" | "pause" | "resume" | "none";
  /** What an operator has done at graph-node, which is left as it is. */
  readonly hold?: HostedHold;
}

/**
 * Compares what is wanted with what there is. What was done as this server asked, and is otherwise now, somebody has
 * changed by hand: that is left alone until it is paused or resumed here.
 */
export function nextStep({ wish, name, told, asked, isDeployed = false }: Situation): NextStep {
  const isIndexed = told !== undefined && told.node !== null;
  if (wish === "paused" && !isIndexed) return { step: "none" };
  const isOurs = asked?.name === name;
  if (!isDeployed && wish === "started" && (!isIndexed || !isOurs)) return { step: "deploy" };
  if (!isIndexed) return { step: "none", hold: unassigned };
  const isPaused = told.paused === true;
  if (isPaused === (wish === "paused")) return { step: "none" };
  if (wish === "paused") {
    return asked?.isPaused === true ? { step: "none", hold: resumed } : { step: "pause" };
  }
  return asked?.isPaused === false ? { step: "none", hold: paused } : { step: "resume" };
}

const unassigned: HostedHold = {
  kind: "unassigned",
  why: "no graph-node node is assigned to it: an operator has unassigned it there",
};
const paused: HostedHold = {
  kind: "paused",
  why: "it was paused at graph-node, not here; to continue, pause and resume it here",
};
const resumed: HostedHold = {
  kind: "resumed",
  why: "it was resumed at graph-node, not here; to stop it, resume and pause it here",
};
