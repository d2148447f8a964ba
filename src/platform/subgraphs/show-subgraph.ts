import type { IndexingProgress, Subgraph } from "../../api/contract.js";
import type { RetriedDeployment } from "../../api/retried-deployment.js";
import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import { restsNow } from "./rests-now.js";
import type { SubgraphVersion } from "./versions.js";

/**
 * A version or a tag as the API shows it.
 * @param status how it goes with its deployment; nothing when its engine does not know, or is away
 * @param address what clients reach the server by
 */
export function showSubgraph(
  version: SubgraphVersion,
  status: HostedStatus | undefined,
  address: string,
): Subgraph {
  const deployment = showDeployment(version, status);
  return {
    name: version.name,
    version: version.version,
    ...(version.target !== undefined && { tag: { target_version: version.target } }),
    status: restsNow(version.isPaused, status) ? "PAUSED" : "ACTIVE",
    network: version.network,
    health: deployment.health,
    synced: deployment.synced,
    graphql_endpoint: endpoint(version, "public", address),
    private_graphql_endpoint: endpoint(version, "private", address),
    public_endpoint_enabled: version.hasPublicEndpoint,
    private_endpoint_enabled: version.hasPrivateEndpoint,
    description: version.description,
    deployments: [deployment],
  };
}

function showDeployment(
  { deployment, deployedAt, network }: SubgraphVersion,
  status: HostedStatus | undefined,
): RetriedDeployment {
  const { failingSince, attempts } = status?.fatalError ?? {};
  const progress = status && showProgress(status, network);
  return {
    deployment_id: deployment,
    created_at: deployedAt.toISOString(),
    health: (status?.health ?? "unknown").toUpperCase(),
    synced: status?.isSynced ?? false,
    fatal_error: status?.fatalError ? showError(status.fatalError) : null,
    ...(failingSince !== undefined && { failing_since: new Date(failingSince).toISOString() }),
    ...(attempts !== undefined && { attempts }),
    non_fatal_errors: status?.nonFatalErrors.map(showError) ?? [],
    ...(progress && { indexing_progress: progress }),
  };
}

/** Nothing until the chain's head is known: how far it is would be a guess. */
function showProgress(status: HostedStatus, network: string): IndexingProgress | undefined {
  const { startBlock, chainHeadBlock, isSynced } = status;
  if (chainHeadBlock === undefined) return undefined;
  // Before the first block is written, the head is the block before it.
  const head = status.headBlock ?? Math.max(0, startBlock - 1);
  const whole = chainHeadBlock - startBlock + 1;
  const done = status.headBlock === undefined ? 0 : head - startBlock + 1;
  const share = whole > 0 ? done / whole : Number(isSynced);
  return {
    network,
    progress_percent: Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100,
    chain_head_block: chainHeadBlock,
    deployment_head_block: head,
    deployment_start_block: startBlock,
    synced: isSynced,
  };
}

/** `handleSwap at block 17 (subgraph.json:20:41): it aborted` */
function showError({ message, block, handler, place, configPlace = place }: HostedError): string {
  const where = [
    ...(handler === undefined ? [] : [handler]),
    ...(block === undefined ? [] : [`at block ${block}`]),
    ...(configPlace === undefined ? [] : [`(${configPlace})`]),
  ];
  return `${where.length > 0 ? `${where.join(" ")}: ` : ""}${message}`;
}

function endpoint(
  { project, name, version }: SubgraphVersion,
  kind: "public" | "private",
  address: string,
): string {
  const parts = [project, "subgraphs", name, version].map(encodeURIComponent).join("/");
  return `${address}/api/${kind}/${parts}/gn`;
}
