import type { ChainHead } from "../../rpc/head-watch.js";
import type { NodeTrouble } from "../../rpc/node-watch.js";
import type { LockWait } from "../../store/database/database.js";
import { lockSentence } from "../../store/database/lock-sentence.js";
import type { DeploymentHealth } from "../../store/deployments/health.js";
import type { HostedError, HostedStatus, NodeState } from "../engine.js";
import type { HostedDeployment } from "./hosted-deployment.js";
import { hostedErrorOf } from "./hosted-error.js";

/**
 * The status of a deployment.
 * @param state from the catalog; `undefined` before it was indexed
 * @param hosted from this process; `undefined` if it was not asked to index it
 * @param head the chain's head, if known
 * @param trouble the problem with the network's node
 * @param locks the statements of the server that wait for locks
 * @param idleSource which of its sources has stopped
 */
export function hostedStatus(
  state: DeploymentHealth | undefined,
  hosted: HostedDeployment | undefined,
  head: ChainHead | undefined,
  trouble: NodeTrouble | undefined,
  locks: readonly LockWait[] = [],
  idleSource?: string,
): HostedStatus {
  const fatalError = state?.fatalError ? hostedErrorOf(state.fatalError) : hosted?.fatalError;
  const waitsFor = hosted?.waitsFor;
  const isAtWork =
    hosted !== undefined && !hosted.isPaused && !hosted.isFinished && (!fatalError || fatalError.isRetried);
  const idle = trouble?.kind === "stuck" ? trouble : undefined;
  const nodeTrouble = idle ? undefined : trouble;
  const nodeState = isAtWork ? (nodeTrouble ?? behind(hosted.network, state, head)) : undefined;
  const lock = locks.find(({ schema }) => schema !== undefined && schema === state?.namespace);
  const errors = [
    ...(state?.nonFatalErrors ?? []).map(hostedErrorOf),
    ...[nodeState?.why, lock && lockSentence(lock), waitsFor].flatMap(passing),
  ];
  const rate = hosted?.handlersPerSecond;
  const timestamp = state?.latestBlock?.timestamp;
  return {
    health: fatalError ? "failed" : errors.length > 0 ? "unhealthy" : state ? "healthy" : "unknown",
    isSynced: state?.isSynced ?? false,
    ...(fatalError && { fatalError }),
    nonFatalErrors: errors,
    ...(waitsFor !== undefined && { waitsFor }),
    ...(hosted?.waitsSince !== undefined && { waitsSince: hosted.waitsSince }),
    ...(nodeState && { nodeState }),
    ...(isAtWork && idle && { idleChain: { since: idle.since, why: idle.why } }),
    ...(isAtWork && idleSource !== undefined && { idleSource }),
    ...(hosted?.isUnwritable && { isUnwritable: true }),
    ...(hosted?.isFinished && { isFinished: true }),
    startBlock: state?.startBlock ?? hosted?.startBlock ?? 0,
    ...(state?.latestBlock && { headBlock: state.latestBlock.number }),
    ...(timestamp !== undefined && { headTimestamp: Number(timestamp) }),
    ...(head && { chainHeadBlock: head.number }),
    ...(rate !== undefined && { handlersPerSecond: rate }),
  };
}

/** A temporary problem from outside, not a deterministic error of the subgraph. */
function passing(message: string | undefined): readonly HostedError[] {
  return message === undefined ? [] : [{ message, isDeterministic: false }];
}

/** Nodes of a pool can differ by a few blocks. */
const usualLag = 3;

/** The warning that the node is behind the indexed data. */
function behind(
  network: string,
  state: DeploymentHealth | undefined,
  head: ChainHead | undefined,
): NodeState | undefined {
  const indexed = state?.latestBlock?.number;
  if (indexed === undefined || head === undefined || head.number + usualLag >= indexed) return undefined;
  const why = `The node of ${network} is at block ${head.number}, but block ${indexed} is already indexed`;
  return { kind: "behind", why };
}
