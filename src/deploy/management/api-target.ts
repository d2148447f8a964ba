import type { Subgraph } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import { adjustBuild } from "../../subgraph/adjust-build.js";
import type { Build } from "../../subgraph/build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import type { Deployment, DeploymentStatus, DeployTarget } from "../target.js";
import { zipBundle } from "./zip-bundle.js";

/**
 * The management API as a deployment target. Start block, graft and description are sent as form fields; the
 * API applies them.
 * @param label name for messages: `the API at https://api.example.com`
 */
export function createApiTarget(api: ManagementApi, label: string): DeployTarget {
  // Zips made by `check`, to be sent by `deploy`.
  const bundles = new WeakMap<Build, Uint8Array>();
  const bundleOf = (build: Build): Uint8Array => {
    const bundle = bundles.get(build) ?? zipBundle(build);
    bundles.set(build, bundle);
    return bundle;
  };
  return {
    label,
    async check({ build }) {
      bundleOf(build);
    },
    async expectedId({ build, startBlock, graftFrom, removeGraft }) {
      // The API chooses the block of the graft.
      if (graftFrom) return undefined;
      return linkBuild(adjustBuild(build, { startBlock, removeGraft })).deploymentId;
    },
    async find({ name, version }) {
      const subgraph = await api.getSubgraphVersion(name, version);
      return subgraph && deploymentOf(subgraph);
    },
    async deploy({ name, version, build, startBlock, graftFrom, removeGraft, description }, onProgress) {
      const bundle = bundleOf(build);
      bundles.delete(build);
      const subgraph = await api.deploy(name, version, {
        bundle,
        startBlock,
        graftFrom: graftFrom && `${graftFrom.name}/${graftFrom.version}`,
        removeGraft,
        description,
        onProgress: (done, total) =>
          onProgress({ step: done < total ? "uploading" : "deploying", done, total }),
      });
      return deploymentOf(subgraph);
    },
    async tag({ name, version }, tag) {
      await api.setTag(name, tag, version);
    },
    async describe({ name, version }, description) {
      await api.updateSubgraph(name, version, { description });
    },
    async status({ name, version }, { deploymentId }) {
      const subgraph = await api.getSubgraphVersion(name, version);
      return subgraph && statusOf(subgraph, deploymentId);
    },
  };
}

function deploymentOf({ deployments, graphql_endpoint, description }: Subgraph): Deployment {
  return {
    deploymentId: deployments[0]?.deployment_id,
    queryUrl: graphql_endpoint,
    description: description ?? "",
  };
}

const healths: Readonly<Record<string, DeploymentStatus["health"]>> = {
  HEALTHY: "healthy",
  UNHEALTHY: "unhealthy",
  FAILED: "failed",
};

function statusOf(subgraph: Subgraph, deploymentId: string | undefined): DeploymentStatus {
  const deployment =
    subgraph.deployments.find(({ deployment_id }) => deployment_id === deploymentId) ??
    subgraph.deployments[0];
  const progress = deployment?.indexing_progress;
  return {
    health: (Object.hasOwn(healths, subgraph.health) ? healths[subgraph.health] : undefined) ?? "unknown",
    synced: subgraph.synced,
    ...(subgraph.status === "PAUSED" && { paused: true }),
    ...(progress && { block: progress.deployment_head_block, head: progress.chain_head_block }),
    ...(deployment?.fatal_error && { fatalError: deployment.fatal_error }),
  };
}
