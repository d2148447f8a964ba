import { quote } from "../../base/text/quote.js";
import type { World } from "../../base/world.js";
import { adjustBuild } from "../../subgraph/adjust-build.js";
import type { Build } from "../../subgraph/build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { HttpError } from "../../web/http/http-error.js";
import type { SendOptions } from "../../web/http/send.js";
import { createIpfsClient } from "../ipfs/ipfs-client.js";
import { checkFileSize } from "../ipfs/largest-file.js";
import type { DeployRequest, DeployTarget, SubgraphVersion } from "../target.js";
import { createGraphNodeAdmin } from "./admin.js";
import { GraphNodeError } from "./graph-node-error.js";
import { createGraphNodeStatus, type IndexingStatus, statusUrlOf } from "./status.js";
import { uploadBuild } from "./upload-build.js";

const longest = 255;

/** The endpoints of a graph-node and of its IPFS node. */
export interface GraphNodeAddresses {
  /** `http://localhost:8020` */
  readonly adminUrl: string;
  /** `http://localhost:5001`, with or without `/api/v0`. */
  readonly ipfsUrl: string;
  /** `http://localhost:8030/graphql`; derived from `adminUrl` by default. */
  readonly statusUrl?: string | undefined;
}

/** graph-node's reorg threshold in blocks: it does not graft at newer blocks, which a reorganisation may replace. */
const reorgThreshold = 250;

/**
 * A graph-node as a deployment target. A version is a graph-node name, `pools/v1-0-0`, and a tag is another name of
 * the same deployment. The default block of a graft is the latest that graph-node allows.
 * @throws GraphNodeError or IpfsError if an address is not a web URL
 */
export function createGraphNodeTarget(
  { adminUrl, ipfsUrl, statusUrl }: GraphNodeAddresses,
  world: World,
  options: SendOptions = {},
): DeployTarget {
  const admin = createGraphNodeAdmin(adminUrl, world, options);
  const status = createGraphNodeStatus(statusUrl ?? statusUrlOf(adminUrl) ?? "", world, options);
  const ipfs = createIpfsClient(ipfsUrl, world, options);
  /** Deployment ids of this target's own deployments, by name, which saves a status query. */
  const made = new Map<string, string>();

  async function adjust(request: DeployRequest): Promise<Build> {
    const { build, startBlock, graftFrom, removeGraft, description } = request;
    const graft = graftFrom && (await graftOf(graftFrom, startBlock));
    return adjustBuild(build, { startBlock, graft, removeGraft, description });
  }

  async function graftOf(
    from: SubgraphVersion,
    block: number | undefined,
  ): Promise<{ base: string; block: number }> {
    const base = await deployed(from);
    if (block !== undefined) return { base: base.deploymentId, block };
    const latest = (base.block ?? 0) - reorgThreshold - 1;
    if (latest >= 0) return { base: base.deploymentId, block: latest };
    throw new GraphNodeError(
      `"${from.name}/${from.version}" has not indexed enough blocks to graft onto it; try again later`,
    );
  }

  async function deployed({ name, version }: SubgraphVersion): Promise<IndexingStatus> {
    const found = await status.ofName(graphNodeName(name, version));
    if (found) return found;
    throw new GraphNodeError(
      `"${name}/${version}" is not deployed to the graph-node at ${admin.origin}; deploy it first`,
    );
  }

  return {
    label: `graph-node at ${admin.origin}`,
    async check({ build }) {
      for (const [path, { length }] of build.files) checkFileSize(path, length);
    },
    async expectedId(request) {
      // The block of the graft is chosen when it is deployed.
      if (request.graftFrom && request.startBlock === undefined) return undefined;
      return linkBuild(await adjust(request)).deploymentId;
    },
    async find({ name, version }) {
      const found = await status.ofName(graphNodeName(name, version));
      return found && { deploymentId: found.deploymentId, queryUrl: undefined };
    },
    async deploy(request, onProgress) {
      const name = graphNodeName(request.name, request.version);
      const linked = await beforehand(async () => {
        const build = linkBuild(await adjust(request));
        await uploadBuild(build, ipfs, onProgress);
        onProgress({ step: "deploying", done: 0, total: 1 });
        await admin.create(name);
        return build;
      });
      const queryUrl = await admin.deploy(name, linked.deploymentId);
      made.set(name, linked.deploymentId);
      onProgress({ step: "deploying", done: 1, total: 1 });
      return { deploymentId: linked.deploymentId, queryUrl };
    },
    async tag(subgraph, tag) {
      const name = graphNodeName(subgraph.name, tag);
      if (name === graphNodeName(subgraph.name, subgraph.version)) {
        throw new GraphNodeError(
          `The tag "${tag}" and the version "${subgraph.version}" have the same name in graph-node, "${name}"; choose a different tag`,
        );
      }
      const deploymentId = await beforehand(async () => {
        const known = made.get(graphNodeName(subgraph.name, subgraph.version));
        const id = known ?? (await deployed(subgraph)).deploymentId;
        await admin.create(name);
        return id;
      });
      await admin.deploy(name, deploymentId);
    },
    async status({ name, version }, { deploymentId }) {
      const found =
        deploymentId === undefined
          ? await status.ofName(graphNodeName(name, version))
          : await status.ofDeployment(deploymentId);
      if (!found) return undefined;
      const { deploymentId: _, earliestBlock: __, nonFatalErrors, ...rest } = found;
      const last = nonFatalErrors.at(-1);
      return { ...rest, ...(last && { lastError: last.message }) };
    },
  };
}

/** Runs the steps before the deployment request: if one fails, nothing was deployed. */
async function beforehand<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof HttpError) throw new HttpError(error.kind, error, false, error.cause);
    if (error instanceof GraphNodeError) throw new GraphNodeError(error.message, error.code);
    throw error;
  }
}

/**
 * Encodes a subgraph's name and version, or tag, as a graph-node name, which allows fewer characters and requires a
 * letter in each part: `pools`, `1.0.0` becomes `pools/v1-0-0`.
 * @throws GraphNodeError if a part has no allowed character, or if the name is too long
 */
export function graphNodeName(name: string, version: string): string {
  const parts = [partOf(name, "subgraph"), partOf(version, "version")];
  const named = parts.join("/");
  if (named.length <= longest) return named;
  throw new GraphNodeError(
    `The name ${quote(named)} has ${named.length} characters, but graph-node allows at most ${longest}; use a shorter name`,
  );
}

function partOf(text: string, what: "subgraph" | "version"): string {
  const part = text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  if (part === "") {
    throw new GraphNodeError(
      `The ${what} ${quote(text)} has no letter or digit, but graph-node requires one; choose a different name`,
    );
  }
  if (!/[A-Za-z]/.test(part)) return what === "version" ? `v${part}` : `subgraph-${part}`;
  // The paths of query URLs reserve `graphql`.
  return part === "graphql" ? `graphql-${what}` : part;
}
