import type { Extension } from "./extension.js";

/** The operations that return builds of deployed versions, and their files. Only graphloom's server has them. */
export type BuildOperationId = "getSubgraphBuild" | "getDeploymentBuild" | "getDeployedFile";

/** The largest answer that a client accepts, in bytes. The zip of an upload has at most 50 MB. */
export const largestBuild = 64 * 1_048_576;

/** The operations, as they also appear in the server's description. */
export const buildOperations: Readonly<Record<BuildOperationId, Extension>> = {
  getSubgraphBuild: {
    method: "GET",
    path: "/subgraphs/{name}/{version}/build",
    summary: "Returns the build of a version or a tag: a zip that can be run, or deployed again.",
    file: { media: "application/zip", headers: {} },
  },
  getDeploymentBuild: {
    method: "GET",
    path: "/deployments/{deployment}/build",
    summary: "Returns the build of a deployment by its id: a zip that can be run, or deployed again.",
    file: { media: "application/zip", headers: {} },
  },
  getDeployedFile: {
    method: "GET",
    path: "/ipfs/{cid}",
    summary:
      "Returns a file of a deployment by its IPFS hash. The deployment id is the hash of the manifest.",
    file: { media: "application/octet-stream", headers: {} },
  },
};
