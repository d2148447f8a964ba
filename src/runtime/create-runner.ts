import type { BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
import { isAtLeast } from "../subgraph/runnable/versions.js";
import { ActiveSources } from "./indexer/active-sources.js";
import { BlockRunner, type BlockRunnerOptions } from "./indexer/block-runner.js";
import { FileFinder, type FileFinderOptions } from "./indexer/files/file-finder.js";
import { ProofStream, poiVariant } from "./poi/proof-of-indexing.js";
import { compileMapping } from "./wasm/compile-mapping.js";
import type { Mapping } from "./wasm/mapping.js";

/** Options for running the blocks of a subgraph. */
export interface RunnerOptions
  extends Pick<
    BlockRunnerOptions,
    "chain" | "callsOf" | "store" | "names" | "onHandler" | "turn" | "readAhead" | "triggersFor"
  > {
  /** First block, also for sources that start later. Default: the start blocks of the manifest. */
  readonly from?: number | undefined;
  /** The first block of the run that filled the store; 0 when it is unknown. */
  readonly firstBlock: number;
  readonly finder: FileFinderOptions;
}

/**
 * Compiles the mappings of a built subgraph, and creates what runs its handlers.
 * @throws DeterministicError when the manifest, its ABIs and its WASM are inconsistent
 */
export function createRunner(
  built: BuiltSubgraph,
  { from, firstBlock, finder, ...options }: RunnerOptions,
): { readonly sources: ActiveSources; readonly runner: BlockRunner } {
  const compiled = new Map<Uint8Array, Mapping>();
  const mappingOf = (wasm: Uint8Array): Mapping => {
    const mapping = compiled.get(wasm) ?? compileMapping(wasm);
    compiled.set(wasm, mapping);
    return mapping;
  };
  const dataSources =
    from === undefined
      ? built.dataSources
      : built.dataSources.map((source) => ({ ...source, startBlock: Math.min(source.startBlock, from) }));
  const sources = new ActiveSources({ ...built, dataSources }, mappingOf, firstBlock);
  const runner = new BlockRunner({
    ...options,
    sources,
    files: finder.files,
    finder: new FileFinder(finder),
    schema: built.entities,
    network: built.network,
    // graph-node refuses unknown fields from this version on.
    unknownFields: isAtLeast(built.apiVersion, "0.0.8") ? "refuse" : "drop",
    // graph-node has these functions from this version on.
    readsAccounts: isAtLeast(built.apiVersion, "0.0.9"),
    proofs: options.store.proofDigest && new ProofStream(poiVariant(built)),
    bearsFailures: built.features.has("nonFatalErrors"),
  });
  return { sources, runner };
}
