import type { Manifest } from "./manifest.js";

/** The deployments that a composed subgraph has as its sources. */
export function sourceSubgraphs({ dataSources }: Pick<Manifest, "dataSources">): readonly string[] {
  return dataSources.flatMap(({ kind, source }) => {
    const { address } = (source ?? {}) as { readonly address?: unknown };
    return kind === "subgraph" && typeof address === "string" ? [address] : [];
  });
}
