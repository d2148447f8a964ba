import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import type { NewDeployment } from "./deployments.js";
import type { Graft } from "./graft.js";

/**
 * What the catalog is to know of a built subgraph.
 * @param deployment the IPFS hash of the manifest
 * @param startBlock the first block to index; by default the first one that a data source listens to
 * @param graft what is known of the graft beside what the manifest says
 */
export function newDeployment(
  { network, schema, entities, dataSources, templates, historyBlocks, graft: wanted }: BuiltSubgraph,
  deployment: string,
  {
    startBlock = Math.min(...dataSources.map((source) => source.startBlock)),
    graft = {},
  }: { readonly startBlock?: number; readonly graft?: Partial<Graft> } = {},
): NewDeployment {
  return {
    deployment,
    network,
    schema,
    entities,
    startBlock,
    fileTypes: new Set(templates.flatMap(({ file }) => [...(file?.entities ?? [])])),
    sourceNames: [...dataSources, ...templates].map(({ name }) => name),
    ...(historyBlocks !== undefined && { historyBlocks }),
    ...(wanted && { graft: { ...graft, ...wanted } }),
  };
}
