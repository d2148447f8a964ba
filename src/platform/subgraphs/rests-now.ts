import type { HostedStatus } from "../../hosting/engine.js";

/**
 * Whether a deployment is paused, as far as known. A pause or resume at the engine itself takes precedence over the
 * setting here.
 */
export function restsNow(isPaused: boolean, status: Pick<HostedStatus, "hold"> | undefined): boolean {
  if (status?.hold?.kind === "paused") return true;
  return status?.hold?.kind === "resumed" ? false : isPaused;
}
