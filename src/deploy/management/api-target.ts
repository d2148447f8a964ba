import type { IndexingProgress, Subgraph } from "../../api/contract.js";
import type { DeployedSubgraph } from "../../api/deploy-form.js";
import type { ManagementApi } from "../../api/management-api.js";
import { idlenessOf, retriesOf } from "../../api/retried-deployment.js";
import { groupBy } from "../../base/group-by.js";
import { adjustBuild } from "../../subgraph/adjust-build.js";
import type { Build } from "../../subgraph/build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import type { Deployment, DeploymentStatus, DeployTarget } from "../target.js";
import { zipBundle } from "./zip-bundle.js";

/**
 * The management API as a deployment target. Sends start block, graft and description as form fields, which the API
 * applies.
 * @param label name for messages: `the API at https://api.example.com`
 */
export function createApiTarget(api: ManagementApi, label: string): DeployTarget {
  // Zips that `check` creates and `deploy` sends.
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
    tellsSame: true,
    isManaged: true,
    async expectedId({ build, startBlock, graftFrom, removeGraft }) {
      if (!graftFrom) return linkBuild(adjustBuild(build, { startBlock, removeGraft })).deploymentId;
      // The API chooses the block of the graft.
      if (startBlock === undefined) return undefined;
      const onto = await api.getSubgraphVersion(graftFrom.name, graftFrom.version);
      const base = onto?.deployments[0]?.deployment_id;
      if (base === undefined) return undefined;
      const graft = { base, block: startBlock };
      return linkBuild(adjustBuild(build, { startBlock, removeGraft, graft })).deploymentId;
    },
    async find({ name, version }) {
      const subgraph = await api.getSubgraphVersion(name, version);
      return subgraph && deploymentOf(subgraph);
    },
    async deploy(request, onProgress) {
      const { name, version, build, startBlock, graftFrom, removeGraft, description, isPrivate } = request;
      const bundle = bundleOf(build);
      bundles.delete(build);
      const subgraph = await api.deploy(name, version, {
        bundle,
        startBlock,
        graftFrom: graftFrom && `${graftFrom.name}/${graftFrom.version}`,
        removeGraft,
        description,
        isPrivate,
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
    async close({ name, version }) {
      const patch = { public_endpoint_enabled: false, private_endpoint_enabled: true };
      return deploymentOf(await api.updateSubgraph(name, version, patch));
    },
    async status({ name, version }, { deploymentId }) {
      const subgraph = await api.getSubgraphVersion(name, version);
      return subgraph && statusOf(subgraph, deploymentId);
    },
    async versions() {
      const versions = (await api.listSubgraphs()).filter(({ tag }) => !tag);
      return groupBy(versions, ({ deployments }) => deployments[0]?.deployment_id ?? "");
    },
  };
}

function deploymentOf(subgraph: DeployedSubgraph): Deployment {
  const { deployments, description, graft, warnings, public_endpoint_enabled: isPublic } = subgraph;
  const { page_url: pageUrl } = subgraph;
  const graftBlock = graft?.block;
  const isPrivate = !isPublic && subgraph.private_endpoint_enabled;
  return {
    isPublic,
    ...(Number.isSafeInteger(graftBlock) && { graftBlock }),
    ...(typeof pageUrl === "string" && { pageUrl }),
    ...(Array.isArray(warnings) && { warnings: warnings.filter((one) => typeof one === "string") }),
    deploymentId: deployments[0]?.deployment_id,
    queryUrl: isPrivate ? subgraph.private_graphql_endpoint : subgraph.graphql_endpoint,
    description: description ?? "",
  };
}

function blocksOf(progress: IndexingProgress): Pick<DeploymentStatus, "block" | "head" | "startBlock"> {
  const {
    deployment_head_block: block,
    chain_head_block: head,
    deployment_start_block: startBlock,
  } = progress;
  // Before the first block, the API returns the block before it.
  return { head, startBlock, ...(block >= startBlock && { block }) };
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
  const lastError = deployment?.non_fatal_errors?.at(-1);
  const idle = idlenessOf(deployment).map(([, why]) => why);
  return {
    health: (Object.hasOwn(healths, subgraph.health) ? healths[subgraph.health] : undefined) ?? "unknown",
    synced: subgraph.synced,
    ...(subgraph.status === "PAUSED" && { paused: true }),
    ...(progress && blocksOf(progress)),
    ...(deployment?.fatal_error && { fatalError: deployment.fatal_error, ...retriesOf(deployment) }),
    ...(lastError !== undefined && { lastError }),
    ...(idle.length > 0 && { idle: idle.join(". ") }),
  };
}
