import { isMap, type Manifest, type ManifestMap, type ManifestValue } from "./manifest.js";

/** A place in a manifest that names a file. */
export interface Link {
  /** `dataSources[0].mapping.file` */
  readonly place: string;
  readonly role: LinkRole;
  /** The link as written: a path, or a map `{"/": "/ipfs/Qm…"}`. */
  readonly target: ManifestValue;
}

export type LinkRole =
  | { readonly kind: "schema" }
  | { readonly kind: "mapping"; readonly source: string; readonly isTemplate: boolean }
  | { readonly kind: "abi"; readonly source: string; readonly name: string }
  /** Some other file of a source, such as a package. */
  | { readonly kind: "other"; readonly source: string };

/** All links in a manifest: the values of every key `file`. */
export function linksOf(manifest: Manifest): readonly Link[] {
  const links: Link[] = [];
  mapLinks(manifest, (link) => {
    links.push(link);
    return link.target;
  });
  return links;
}

/** A copy of a manifest with its links replaced. */
export function mapLinks(manifest: Manifest, replace: (link: Link) => ManifestValue): Manifest {
  const { schema, dataSources, templates } = manifest;
  const sources = (list: readonly ManifestMap[], key: string): ManifestValue[] =>
    list.map((source, index) => {
      const owner = { source: String(source.name), isTemplate: key === "templates" };
      return mapNode(source, { place: `${key}[${index}]`, key: "", owner }, replace);
    });
  return {
    ...manifest,
    schema: mapNode(schema, { place: "schema", key: "", owner: undefined }, replace),
    dataSources: sources(dataSources, "dataSources"),
    ...(templates && { templates: sources(templates, "templates") }),
  } as Manifest;
}

interface VisitedNode {
  readonly place: string;
  /** The node's key; for an item of a list, the list's key. */
  readonly key: string;
  readonly owner: { readonly source: string; readonly isTemplate: boolean } | undefined;
}

function mapNode(
  value: ManifestValue,
  at: VisitedNode,
  replace: (link: Link) => ManifestValue,
): ManifestValue {
  if (Array.isArray(value)) {
    return value.map((item: ManifestValue, index) =>
      mapNode(item, { ...at, place: `${at.place}[${index}]` }, replace),
    );
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, part = null]): [string, ManifestValue] => {
    const place = `${at.place}.${key}`;
    // A context contains values for the mappings, so a key `file` in it is not a link.
    if (key === "context") return [key, part];
    if (key === "file") return [key, replace({ place, role: roleOf(value, at), target: part })];
    return [key, mapNode(part, { place, key, owner: at.owner }, replace)];
  });
  return Object.fromEntries(entries);
}

function roleOf(holder: ManifestMap, { key, owner }: VisitedNode): LinkRole {
  if (!owner) return { kind: "schema" };
  if (key === "mapping") return { kind: "mapping", ...owner };
  if (key === "abis") return { kind: "abi", source: owner.source, name: String(holder.name) };
  return { kind: "other", source: owner.source };
}
