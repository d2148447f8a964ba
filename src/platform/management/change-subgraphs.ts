import type { FastifyRequest } from "fastify";
import type { Subgraph } from "../../api/contract.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { changeSubgraph, pauseSubgraph, removeSubgraph } from "../subgraphs/change-subgraphs.js";
import type { EntryName } from "../subgraphs/find-subgraph.js";
import { showSubgraph } from "../subgraphs/read-subgraphs.js";
import type { References } from "../subgraphs/references.js";
import { tagSubgraph, untagSubgraph } from "../subgraphs/tag-subgraphs.js";
import type { Handlers } from "./operations.js";
import { subgraphOf } from "./show-subgraph.js";

type Changes =
  | "updateSubgraphVersion"
  | "pauseSubgraph"
  | "resumeSubgraph"
  | "setSubgraphTag"
  | "deleteSubgraphTag"
  | "deleteSubgraphDeployment";

/** Changes existing versions and tags. @param references find what refers to versions and tags, besides tags */
export function subgraphChanges(
  platform: Platform,
  references: readonly References[],
): Pick<Handlers, Changes> {
  const shown = async (name: EntryName, request: FastifyRequest): Promise<{ data: Subgraph }> => {
    const found = await showSubgraph(platform, callerOf(request), name, request.log);
    return { data: subgraphOf(found, platform.settings.address()) };
  };
  return {
    updateSubgraphVersion: async ({ path, body = {}, request }) => {
      const {
        description,
        public_endpoint_enabled: hasPublicEndpoint,
        private_endpoint_enabled: hasPrivateEndpoint,
      } = body;
      await changeSubgraph(platform, callerOf(request), path, {
        ...(description !== undefined && { description }),
        ...(hasPublicEndpoint !== undefined && { hasPublicEndpoint }),
        ...(hasPrivateEndpoint !== undefined && { hasPrivateEndpoint }),
      });
      return shown(path, request);
    },
    pauseSubgraph: async ({ path, request }) => {
      await pauseSubgraph(platform, callerOf(request), path, true);
      return undefined;
    },
    resumeSubgraph: async ({ path, request }) => {
      await pauseSubgraph(platform, callerOf(request), path, false);
      return undefined;
    },
    setSubgraphTag: async ({ path, body, request }) => {
      const tag = { name: path.name, tag: path.version };
      await tagSubgraph(platform, callerOf(request), tag, body?.target_version ?? "");
      return shown(path, request);
    },
    deleteSubgraphTag: async ({ path, request }) => {
      await untagSubgraph(platform, callerOf(request), { name: path.name, tag: path.version }, references);
      return undefined;
    },
    deleteSubgraphDeployment: async ({ path, request }) => {
      await removeSubgraph(platform, callerOf(request), path, references);
      return undefined;
    },
  };
}
