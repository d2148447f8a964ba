import { versionOf } from "./management-memory.js";
import type { ManagementState, TestTag, TestVersion } from "./management-state.js";

/** Looking at an active version lets it index some more: it takes so many looks to index everything. */
export function look(version: TestVersion, looks: number): TestVersion {
  if (version.paused || version.fatalError !== null) return version;
  const step = Math.ceil((version.chainHead - version.startBlock) / looks);
  version.headBlock = Math.min(version.chainHead, version.headBlock + step);
  return version;
}

/** A version or a tag as the API shows it. */
export function showEntry(state: ManagementState, entry: TestVersion | TestTag, origin: string): object {
  const version = "tag" in entry ? versionOf(state, entry.name, entry.target) : entry;
  const label = "tag" in entry ? entry.tag : entry.version;
  const { headBlock, chainHead, startBlock, fatalError } = version;
  const synced = headBlock >= chainHead;
  const health = fatalError !== null ? "FAILED" : version.nonFatalErrors.length > 0 ? "UNHEALTHY" : "HEALTHY";
  const address = (kind: string): string =>
    `${origin}/api/${kind}/project_test/subgraphs/${entry.name}/${encodeURIComponent(label)}/gn`;
  return {
    name: entry.name,
    version: label,
    ...("tag" in entry && { tag: { target_version: entry.target } }),
    status: version.paused ? "PAUSED" : "ACTIVE",
    network: version.bundle.network,
    health,
    synced,
    graphql_endpoint: address("public"),
    private_graphql_endpoint: address("private"),
    public_endpoint_enabled: entry.publicEnabled,
    private_endpoint_enabled: entry.privateEnabled,
    description: entry.description,
    deployments: [
      {
        deployment_id: version.deploymentId,
        created_at: version.createdAt,
        health,
        synced,
        fatal_error: fatalError,
        non_fatal_errors: version.nonFatalErrors,
        indexing_progress: {
          network: version.bundle.network,
          progress_percent: (100 * (headBlock - startBlock)) / Math.max(1, chainHead - startBlock),
          chain_head_block: chainHead,
          deployment_head_block: headBlock,
          deployment_start_block: startBlock,
          synced,
        },
      },
    ],
  };
}
