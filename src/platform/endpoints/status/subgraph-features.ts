import type { ManifestMap } from "../../../subgraph/manifest/manifest.js";
import type { DataSource } from "../../../subgraph/runnable/built-subgraph.js";
import type { ReadBuild } from "../../../subgraph/runnable/read-build.js";

/** The features of a build, as graph-node lists them. */
export interface SubgraphFeatures {
  readonly apiVersion: string;
  readonly specVersion: string;
  /** The features that the manifest declares, and those detected in the manifest and the schema. */
  readonly features: readonly string[];
  /** Kinds of data sources and templates. */
  readonly dataSources: readonly string[];
  /** Kinds of handlers of data sources: `event`, `call`, `block`, `block_filter_polling`, … */
  readonly handlers: readonly string[];
  readonly network: string;
}

/** @throws BundleError, SchemaError for builds that cannot run */
export function subgraphFeatures({ manifest, subgraph }: ReadBuild): SubgraphFeatures {
  const { apiVersion, network, entities, features, dataSources } = subgraph;
  const types = [...entities.types.values()];
  const found = {
    declaredEthCalls: dataSources.some(({ eventHandlers }) =>
      eventHandlers.some(({ calls }) => calls.length > 0),
    ),
    aggregations: entities.aggregations.length > 0,
    immutableEntities: types.some(({ immutable }) => immutable),
    bytesAsIds: types.some(({ idKind }) => idKind === "Bytes"),
  };
  const detected = Object.entries(found).flatMap(([name, isThere]) => (isThere ? [name] : []));
  const sources: readonly ManifestMap[] = [...manifest.dataSources, ...(manifest.templates ?? [])];
  return {
    apiVersion,
    specVersion: String(manifest.specVersion),
    features: [...new Set([...features, ...detected])],
    dataSources: [...new Set(sources.map(({ kind }) => String(kind)))],
    handlers: [...new Set(dataSources.flatMap(handlerKinds))],
    network,
  };
}

function handlerKinds({ blockHandlers, callHandlers, eventHandlers }: DataSource): readonly string[] {
  return [
    ...blockHandlers.map(({ filter: { kind } }) => (kind === "all" ? "block" : `block_filter_${kind}`)),
    ...(callHandlers.length > 0 ? ["call"] : []),
    ...(eventHandlers.length > 0 ? ["event"] : []),
  ];
}
