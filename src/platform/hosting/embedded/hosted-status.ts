import type { DeploymentHealth } from "../../catalog/health.js";
import type { HostedStatus } from "../engine.js";
import type { ChainHead } from "../nodes/head-watch.js";
import type { HostedDeployment } from "./hosted-deployment.js";
import { hostedErrorOf } from "./hosted-error.js";

/**
 * How it goes with a deployment.
 * @param state what the catalog knows; nothing before it was indexed
 * @param hosted what this process knows; nothing when it has not been asked to index it
 * @param head of the chain, as far as it is known
 */
export function hostedStatus(
  state: DeploymentHealth | undefined,
  hosted: HostedDeployment | undefined,
  head: ChainHead | undefined,
): HostedStatus {
  const fatalError = state?.fatalError ? hostedErrorOf(state.fatalError) : hosted?.fatalError;
  const waitsFor = hosted?.waitsFor;
  const errors = [
    ...(state?.nonFatalErrors ?? []).map(hostedErrorOf),
    ...(waitsFor === undefined ? [] : [{ message: waitsFor }]),
  ];
  const rate = hosted?.handlersPerSecond;
  return {
    health: fatalError ? "failed" : errors.length > 0 ? "unhealthy" : state ? "healthy" : "unknown",
    isSynced: state?.isSynced ?? false,
    ...(fatalError && { fatalError }),
    nonFatalErrors: errors,
    startBlock: state?.startBlock ?? hosted?.startBlock ?? 0,
    ...(state?.latestBlock && { headBlock: state.latestBlock.number }),
    ...(head && { chainHeadBlock: head.number }),
    ...(rate !== undefined && { handlersPerSecond: rate }),
  };
}
