import { isMap, type ManifestMap } from "../../../subgraph/manifest/manifest.js";
import type { ReadBuild } from "../../../subgraph/runnable/read-build.js";

/** The features of a build, as graph-node lists them. */
export interface SubgraphFeatures {
  readonly apiVersion: string;
  readonly specVersion: string;
  /** The features that the manifest declares, and those detected in the manifest and the schema. */
  readonly features: readonly string[];
  /** Kinds of data sources and templates. */
  readonly dataSources: readonly string[];
  /** Kinds of handlers of data sources. */
  readonly handlers: readonly string[];
  readonly network: string;
}

const handlerKinds = { block: "blockHandlers", call: "callHandlers", event: "eventHandlers" } as const;

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
  const has = (source: ManifestMap, key: string): boolean => {
    const handlers = isMap(source.mapping) ? source.mapping[key] : undefined;
    return Array.isArray(handlers) && handlers.length > 0;
  };
  return {
    apiVersion,
    specVersion: String(manifest.specVersion),
    features: [...new Set([...features, ...detected])],
    dataSources: [...new Set(sources.map(({ kind }) => String(kind)))],
    handlers: Object.entries(handlerKinds).flatMap(([kind, key]) =>
      manifest.dataSources.some((source) => has(source, key)) ? [kind] : [],
    ),
    network,
  };
}
