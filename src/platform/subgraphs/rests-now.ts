import type { HostedStatus } from "../../hosting/engine.js";

/**
 * Whether a deployment rests, as far as it is known: what was done at its engine by hand counts for more than what was asked
 * for here.
 */
export function restsNow(isPaused: boolean, status: Pick<HostedStatus, "hold"> | undefined): boolean {
  if (status?.hold?.kind === "paused") return true;
  return status?.hold?.kind === "resumed" ? false : isPaused;
}
