import { LRUCache } from "lru-cache";
import { groupBy } from "../../../base/group-by.js";
import type { Sql } from "../../../store/database/database.js";
import { BundleError } from "../../../subgraph/bundle-error.js";
import { mapIn } from "../../../subgraph/carried-files.js";
import { isMap, type Manifest } from "../../../subgraph/manifest/manifest.js";
import { mapOfManifest, mapTriggers } from "../../../subgraph/map/manifest-map.js";
import { isDrawable, type SubgraphMap } from "../../../subgraph/map/subgraph-map.js";
import { SchemaError } from "../../../subgraph/schema/entity-schema.js";
import type { Platform } from "../../platform.js";
import { storedBuild } from "../../subgraphs/stored-build.js";
import { readCarried, type SubgraphVersion } from "../../subgraphs/versions.js";

/** The map of a version or tag. */
export interface ShownMap {
  readonly map: SubgraphMap;
  /** Whether the build says which handler stores which entities; a manifest alone does not. */
  readonly isWhole: boolean;
  readonly handlers: SourceHandlers;
}

/**
 * The names of handlers by data source or template, and by trigger in the words of the map. Runs are counted by handler,
 * so triggers that share one are missing, as is a trigger with several handlers.
 */
export type SourceHandlers = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * The parts of a build that its map requires. They are the same for all projects. The build itself, with its WASM, is
 * not kept.
 */
interface MapParts extends Pick<ShownMap, "handlers"> {
  readonly manifest: Manifest;
  readonly entities: readonly string[];
}

/** The most builds whose parts are kept in memory. */
const mostKept = 100;

/** Reads the map of a version; `undefined` when the build no longer exists or cannot be read. It throws DatabaseError. */
export type ReadMap = (entry: SubgraphVersion) => Promise<ShownMap | undefined>;

/** Creates the maps of versions, and reads each build once. */
export function createMaps({ database }: Pick<Platform, "database">): ReadMap {
  const kept = new LRUCache<string, Promise<MapParts | undefined>>({ max: mostKept });
  const partsOf = (deployment: string): Promise<MapParts | undefined> => {
    const known = kept.get(deployment);
    if (known) return known;
    const read = readParts(database, deployment);
    kept.set(deployment, read);
    read.catch(() => kept.delete(deployment));
    return read;
  };
  return async (entry) => {
    const { name, version } = entry;
    const parts = await partsOf(entry.deployment);
    if (!parts) return undefined;
    const { manifest, entities, handlers } = parts;
    const facts = mapIn(await readCarried(database, entry));
    const map = mapOfManifest(manifest, `${name}/${version}`, entities, facts);
    return { map, isWhole: facts !== undefined, handlers };
  };
}

/** A map that a server can draw at each visit, or why there is none. */
export function drawableMap(shown: ShownMap | undefined): ShownMap | string {
  if (!shown) return "No map is available: the build is gone or cannot be read.";
  if (isDrawable(shown.map)) return shown;
  return "This map has too many contracts, events and entity types to draw it here. If the subgraph comes from a configuration, draw it with: graphloom map";
}

async function readParts(sql: Sql, deployment: string): Promise<MapParts | undefined> {
  try {
    const read = await storedBuild(sql, deployment);
    if (!read) return undefined;
    const { manifest, schema } = read;
    return { manifest, entities: [...schema.entities.types.keys()], handlers: handlersOf(manifest) };
  } catch (error) {
    if (error instanceof BundleError || error instanceof SchemaError) return undefined;
    throw error;
  }
}

/** The handlers of all data sources and templates. */
export function handlersOf({ dataSources, templates = [] }: Manifest): SourceHandlers {
  // The runs of a template and of a data source with its name are counted together.
  const named = groupBy([...dataSources, ...templates], ({ name }) => String(name));
  return new Map(
    [...named].flatMap(([name, [source, ...others]]) => {
      if (!source || others.length > 0) return [];
      const { mapping } = source;
      const triggers = isMap(mapping) ? mapTriggers(mapping) : [];
      const texts = groupBy(triggers, ({ text }) => text);
      const handlers = groupBy(triggers, ({ handler }) => handler);
      const isAlone = ({ text, handler }: (typeof triggers)[number]): boolean =>
        texts.get(text)?.length === 1 && handlers.get(handler)?.length === 1;
      const known = triggers.filter(isAlone).map(({ text, handler }) => [text, handler] as const);
      return [[name, new Map(known)] as const];
    }),
  );
}
