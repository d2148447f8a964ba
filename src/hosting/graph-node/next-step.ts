import type { ToldStatus } from "../../deploy/graph-node/told-status.js";
import type { AskedDeployment } from "../../store/deployments/graph-node-deployments.js";
import type { HostedHold } from "../engine.js";

/** The state that the catalog requests for a deployment. */
export type Wish = "started" | "paused";

/** The known facts about a deployment before a step. */
export interface Situation {
  readonly wish: Wish;
  /** This server's name for it. */
  readonly name: string;
  /** graph-node's status of the deployment; `undefined` if graph-node does not have it. */
  readonly told: Pick<ToldStatus, "node" | "paused"> | undefined;
  /** The last fulfilled request of this server. */
  readonly asked: AskedDeployment | undefined;
  /** Whether it was just deployed. */
  readonly isDeployed?: boolean;
}

/** The next request to graph-node on the way to the requested state. */
export interface NextStep {
  readonly step: "deploy" | "pause" | "resume" | "none";
  /** An operator's change at graph-node, which is left alone. */
  readonly hold?: HostedHold;
}

/**
 * Compares the requested state with the actual one. If graph-node once had the requested state and now
 * differs, someone changed it by hand. That change is left alone until the deployment is paused or resumed
 * here.
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
  why: "it was paused at graph-node, not here; to continue, start it here",
};
const resumed: HostedHold = {
  kind: "resumed",
  why: "it was resumed at graph-node, not here; to stop it, pause it here",
};
