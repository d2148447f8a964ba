import { manifestPath } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type { Manifest } from "../../subgraph/manifest/manifest.js";
import { parseManifest } from "../../subgraph/manifest/parse-manifest.js";
import { mapOfManifest } from "../../subgraph/map/manifest-map.js";
import type { SubgraphMap } from "../../subgraph/map/subgraph-map.js";
import { type MapFacts, mapFactsPath, readMapFacts } from "../../subgraph/map-facts.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { unzipBundle } from "../../subgraph/unzip-bundle.js";
import { readBundle } from "../catalog/builds.js";
import type { SubgraphVersion } from "../catalog/versions.js";
import type { Platform } from "../platform.js";

/** The map of a version or tag. */
export interface ShownMap {
  readonly map: SubgraphMap;
  /** Whether it is known which handler stores what: not of builds that say no more than their manifest. */
  readonly isWhole: boolean;
}

/** What of a build its map is made of: nothing in it is the name of a project's own. */
interface MapParts {
  readonly manifest: Manifest;
  readonly entities: readonly string[];
  readonly facts: MapFacts | undefined;
}

/** As many builds are kept in memory. */
const mostKept = 100;

/**
 * Makes maps of versions, of which builds are read once.
 * @returns the map; nothing when the build is not there any more, or cannot be read. It throws DatabaseError.
 */
export function createMaps({
  database,
}: Pick<Platform, "database">): (entry: SubgraphVersion) => Promise<ShownMap | undefined> {
  const kept = new Map<string, Promise<MapParts | undefined>>();
  const partsOf = (deployment: string): Promise<MapParts | undefined> => {
    const known = kept.get(deployment);
    if (known) return known;
    const read = readBundle(database, deployment).then((bundle) => bundle && readParts(bundle));
    if (kept.size >= mostKept) kept.clear();
    kept.set(deployment, read);
    read.catch(() => kept.delete(deployment));
    return read;
  };
  return async ({ name, version, deployment }) => {
    const parts = await partsOf(deployment);
    if (!parts) return undefined;
    const { manifest, entities, facts } = parts;
    const map = mapOfManifest(manifest, `${name}/${version}`, entities, facts);
    return { map, isWhole: facts !== undefined };
  };
}

async function readParts(bundle: Uint8Array): Promise<MapParts | undefined> {
  try {
    const files = await unzipBundle(bundle);
    const text = (path: string): string => new TextDecoder().decode(files.get(path));
    const manifest = parseManifest(text(manifestPath), manifestPath).toData();
    const { file } = manifest.schema;
    const schema = typeof file === "string" ? file.replace(/^\.\//, "") : "schema.graphql";
    return { manifest, entities: [...readEntitySchema(text(schema)).types.keys()], facts: factsOf(files) };
  } catch (error) {
    if (error instanceof BundleError || error instanceof SchemaError) return undefined;
    throw error;
  }
}

/** What is damaged is as good as not there. */
function factsOf(files: ReadonlyMap<string, Uint8Array>): MapFacts | undefined {
  const content = files.get(mapFactsPath);
  try {
    return content && readMapFacts(content);
  } catch (error) {
    if (error instanceof BundleError) return undefined;
    throw error;
  }
}
