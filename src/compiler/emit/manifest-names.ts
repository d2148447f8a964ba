import type { ChainModel } from "../model/subgraph.js";

/** Paths of a chain's manifest and build in the project. */
export interface EmittedManifest<Chain = ChainModel> {
  readonly chain: string;
  readonly model: Chain;
  readonly file: string;
  /** Relative to the project, without a trailing slash. */
  readonly buildFolder: string;
}

/**
 * One manifest per chain: `subgraph.yaml` for one chain, `subgraph.<chain>.yaml` and `build/<chain>/` for
 * several.
 */
export function emittedManifests<Chain extends { readonly chain: string }>({
  chains,
}: {
  readonly chains: readonly Chain[];
}): readonly EmittedManifest<Chain>[] {
  const isAlone = chains.length === 1;
  return chains.map((model) => ({
    chain: model.chain,
    model,
    file: isAlone ? "subgraph.yaml" : `subgraph.${model.chain}.yaml`,
    buildFolder: isAlone ? "build" : `build/${model.chain}`,
  }));
}
