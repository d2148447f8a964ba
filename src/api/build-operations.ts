import type { Extension } from "./extension.js";

/** The operation for builds of deployed versions. Only graphloom's own server has it. */
export type BuildOperationId = "getSubgraphBuild";

/** Bytes of the largest answer that a client takes. The zip of an upload has at most 50 MB. */
export const largestBuild = 64 * 1_048_576;

/** The operation, as the server's description also shows it. */
export const buildOperations: Readonly<Record<BuildOperationId, Extension>> = {
  getSubgraphBuild: {
    method: "GET",
    path: "/subgraphs/{name}/{version}/build",
    summary: "Returns the build of a version or a tag: a zip that can be run, or deployed again.",
    file: { media: "application/zip", headers: {} },
  },
};
