import type { Sql } from "../../../store/database/database.js";
import { BundleError } from "../../../subgraph/bundle-error.js";
import { mapIn } from "../../../subgraph/carried-files.js";
import { isMap, type Manifest } from "../../../subgraph/manifest/manifest.js";
import { mapOfManifest, mapTriggers } from "../../../subgraph/map/manifest-map.js";
import type { SubgraphMap } from "../../../subgraph/map/subgraph-map.js";
import { SchemaError } from "../../../subgraph/schema/entity-schema.js";
import type { Platform } from "../../platform.js";
import { storedBuild } from "../../subgraphs/stored-build.js";
import { readCarried, type SubgraphVersion } from "../../subgraphs/versions.js";

/** The map of a version or tag. */
export interface ShownMap {
  readonly map: SubgraphMap;
  /** Whether the build says which handler stores which entities; a manifest alone does not. */
  readonly isWhole: boolean;
  /** Data sources and templates by name. */
  readonly sources: ReadonlyMap<string, MapSource>;
}

/** What a manifest says about a data source or template, besides its place on the map. */
export interface MapSource {
  readonly network: string;
  /** Missing for templates. */
  readonly address?: string;
  /** The names of its handlers by trigger, in the words of the map. */
  readonly handlers: ReadonlyMap<string, string>;
}

/**
 * The parts of a build that its map requires. They are the same for all projects. The build itself, with its WASM, is
 * not kept.
 */
interface MapParts extends Pick<ShownMap, "sources"> {
  readonly manifest: Manifest;
  readonly entities: readonly string[];
}

/** The most builds whose parts are kept in memory. */
const mostKept = 100;

/** Reads the map of a version; `undefined` when the build no longer exists or cannot be read. It throws DatabaseError. */
export type ReadMap = (entry: SubgraphVersion) => Promise<ShownMap | undefined>;

/** Creates the maps of versions, and reads each build once. */
export function createMaps({ database }: Pick<Platform, "database">): ReadMap {
  const kept = new Map<string, Promise<MapParts | undefined>>();
  const partsOf = (deployment: string): Promise<MapParts | undefined> => {
    const known = kept.get(deployment);
    if (known) return known;
    const read = readParts(database, deployment);
    if (kept.size >= mostKept) kept.clear();
    kept.set(deployment, read);
    read.catch(() => kept.delete(deployment));
    return read;
  };
  return async (entry) => {
    const { name, version } = entry;
    const parts = await partsOf(entry.deployment);
    if (!parts) return undefined;
    const { manifest, entities, sources } = parts;
    const facts = mapIn(await readCarried(database, entry));
    const map = mapOfManifest(manifest, `${name}/${version}`, entities, facts);
    return { map, isWhole: facts !== undefined, sources };
  };
}

async function readParts(sql: Sql, deployment: string): Promise<MapParts | undefined> {
  try {
    const read = await storedBuild(sql, deployment);
    if (!read) return undefined;
    const { manifest, schema } = read;
    return { manifest, entities: [...schema.entities.types.keys()], sources: sourcesOf(manifest) };
  } catch (error) {
    if (error instanceof BundleError || error instanceof SchemaError) return undefined;
    throw error;
  }
}

/** What a manifest says about its data sources and templates, by name. */
export function sourcesOf({ dataSources, templates = [] }: Manifest): ReadonlyMap<string, MapSource> {
  return new Map(
    [...dataSources, ...templates].map(({ name, network, source, mapping }) => {
      const { address } = isMap(source) ? source : {};
      const triggers = isMap(mapping) ? mapTriggers(mapping) : [];
      const own: MapSource = {
        network: String(network ?? ""),
        ...(typeof address === "string" && { address }),
        handlers: new Map(triggers.map(({ text, handler }) => [text, handler])),
      };
      return [String(name), own];
    }),
  );
}
