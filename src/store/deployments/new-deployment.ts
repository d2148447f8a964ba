import { poiVariant } from "../../runtime/poi/proof-of-indexing.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import type { NewDeployment } from "./deployments.js";
import type { Graft } from "./graft.js";

/**
 * The catalog entry of a built subgraph.
 * @param deployment the IPFS hash of the manifest
 * @param startBlock the first block to index; by default the earliest start block of a data source
 * @param graft facts about the graft that the manifest does not contain
 * @param proofs whether it keeps proofs of indexing
 */
export function newDeployment(
  built: BuiltSubgraph,
  deployment: string,
  {
    startBlock = Math.min(...built.dataSources.map((source) => source.startBlock)),
    graft = {},
    proofs = true,
  }: {
    readonly startBlock?: number;
    readonly graft?: Partial<Graft>;
    readonly proofs?: boolean;
  } = {},
): NewDeployment {
  const { network, schema, entities, dataSources, templates, historyBlocks, graft: wanted } = built;
  return {
    deployment,
    network,
    schema,
    entities,
    startBlock,
    ...(proofs && { proofVariant: poiVariant(built) }),
    manifest: { specVersion: built.specVersion, features: [...built.features] },
    fileTypes: new Set(templates.flatMap(({ file }) => [...(file?.entities ?? [])])),
    sourceNames: [...dataSources, ...templates].map(({ name }) => name),
    ...(historyBlocks !== undefined && { historyBlocks }),
    ...(wanted && { graft: { ...graft, ...wanted } }),
  };
}
