import type { ChainModel, SubgraphModel } from "../model/subgraph.js";

/** Where the manifest of a chain stands in the project, and where its build goes. */
export interface EmittedManifest {
  readonly chain: string;
  readonly model: ChainModel;
  readonly file: string;
  /** Relative to the project, without a trailing slash. */
  readonly buildFolder: string;
}

/** One manifest per chain: `subgraph.yaml` alone, `subgraph.<chain>.yaml` and `build/<chain>/` with several. */
export function emittedManifests({ chains }: SubgraphModel): readonly EmittedManifest[] {
  const isAlone = chains.length === 1;
  return chains.map((model) => ({
    chain: model.chain,
    model,
    file: isAlone ? "subgraph.yaml" : `subgraph.${model.chain}.yaml`,
    buildFolder: isAlone ? "build" : `build/${model.chain}`,
  }));
}
