import type { Extension } from "./extension.js";

/** The operation that returns the builds of deployed versions. Only graphloom's server has it. */
export type BuildOperationId = "getSubgraphBuild";

/** The largest answer that a client accepts, in bytes. The zip of an upload has at most 50 MB. */
export const largestBuild = 64 * 1_048_576;

/** The operation, as it also appears in the server's description. */
export const buildOperations: Readonly<Record<BuildOperationId, Extension>> = {
  getSubgraphBuild: {
    method: "GET",
    path: "/subgraphs/{name}/{version}/build",
    summary: "Returns the build of a version or a tag: a zip that can be run, or deployed again.",
    file: { media: "application/zip", headers: {} },
  },
};
