export type ManifestValue = string | number | boolean | null | readonly ManifestValue[] | ManifestMap;

export interface ManifestMap {
  readonly [key: string]: ManifestValue | undefined;
}

/** The manifest of a subgraph as plain, immutable data. */
export interface Manifest extends ManifestMap {
  readonly schema: ManifestMap;
  readonly dataSources: readonly ManifestMap[];
  readonly templates?: readonly ManifestMap[];
}

/** Whether a value in a manifest is a map. */
export function isMap(value: ManifestValue | undefined): value is ManifestMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first requirement of all deployment targets that this manifest violates; `undefined` if it meets them all. */
export function lackOf(value: ManifestValue): string | undefined {
  if (!isMap(value)) return "it is not a map";
  if (value.specVersion === undefined) return 'it has no "specVersion"';
  if (!isMap(value.schema)) return 'it has no "schema" with a "file"';
  const { dataSources, templates = [] } = value;
  if (!Array.isArray(dataSources) || dataSources.length === 0) return 'it has no "dataSources"';
  if (!Array.isArray(templates)) return 'its "templates" are not a list';
  const isSource = (source: ManifestValue): boolean =>
    isMap(source) && typeof source.name === "string" && isMap(source.mapping);
  if (![...dataSources, ...templates].every(isSource)) {
    return 'a data source or template has no "name" or no "mapping"';
  }
  return undefined;
}
