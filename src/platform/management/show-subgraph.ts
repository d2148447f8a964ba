import type { IndexingProgress, Subgraph } from "../../api/contract.js";
import type { RetriedDeployment } from "../../api/retried-deployment.js";
import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import { percentOf } from "../subgraphs/progress.js";
import { queryAddresses } from "../subgraphs/query-addresses.js";
import type { ShownVersion } from "../subgraphs/read-subgraphs.js";
import { restsNow } from "../subgraphs/rests-now.js";
import type { SubgraphVersion } from "../subgraphs/versions.js";

/**
 * A version or a tag as the API shows it.
 * @param address the address at which clients reach the server
 */
export function subgraphOf({ entry: version, status }: ShownVersion, address: string): Subgraph {
  const addresses = queryAddresses(version, address);
  const deployment = showDeployment(version, status);
  return {
    name: version.name,
    version: version.version,
    ...(version.target !== undefined && { tag: { target_version: version.target } }),
    status: restsNow(version.isPaused, status) ? "PAUSED" : "ACTIVE",
    network: version.network,
    health: deployment.health,
    synced: deployment.synced,
    graphql_endpoint: addresses.public,
    private_graphql_endpoint: addresses.private,
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
    ...(status?.idleChain && { idle_chain: status.idleChain.why }),
    ...(status?.idleSource !== undefined && { idle_source: status.idleSource }),
    non_fatal_errors: status?.nonFatalErrors.map(showError) ?? [],
    ...(progress && { indexing_progress: progress }),
  };
}

function showProgress(status: HostedStatus, network: string): IndexingProgress | undefined {
  const { startBlock, headBlock, chainHeadBlock, isSynced } = status;
  const percent = percentOf(status);
  if (percent === undefined || chainHeadBlock === undefined) return undefined;
  return {
    network,
    progress_percent: Math.round(percent * 100) / 100,
    chain_head_block: chainHeadBlock,
    // Before the first block is written, the head is the block before it.
    deployment_head_block: headBlock ?? Math.max(0, startBlock - 1),
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
