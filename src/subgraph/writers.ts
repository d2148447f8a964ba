import type { ConfigPlaces } from "./config-places.js";
import { isMap, type Manifest, type ManifestMap, type ManifestValue } from "./manifest/manifest.js";
import { mapTriggers } from "./map/manifest-map.js";
import type { MapFacts } from "./map-facts.js";

/** A handler that may store an entity type. */
export interface Writer {
  /** The data source or template. */
  readonly source: string;
  readonly isTemplate: boolean;
  /** Lower-case hex; missing for templates and for sources without an address. */
  readonly address?: string;
  /** The first and the last block of the data source, if the manifest says so. */
  readonly startBlock?: number;
  readonly endBlock?: number;
  /** The trigger: `Transfer(address,uint256)`. */
  readonly trigger: string;
  readonly handler: string;
  /** Where the configuration describes it, if known: a line, or the handler. */
  readonly place?: string;
}

/** The handlers that may store an entity type. */
export interface Writers {
  readonly all: readonly Writer[];
  /**
   * Whether the build records which types each handler stores. A manifest lists them only for whole data sources,
   * unchecked.
   */
  readonly isCertain: boolean;
}

/**
 * The handlers of a build that may store an entity type.
 * @param facts what each handler stores, if known
 * @param places where the configuration describes handlers, if known
 */
export function writersOf(
  { dataSources, templates = [] }: Manifest,
  type: string,
  facts: MapFacts | undefined,
  places: ConfigPlaces | undefined,
): Writers {
  let isCertain = facts !== undefined;
  const of = (source: ManifestMap, isTemplate: boolean): readonly Writer[] => {
    const mapping = isMap(source.mapping) ? source.mapping : {};
    const name = stringOrEmpty(source.name);
    const known = facts?.get(name);
    return mapTriggers(mapping).flatMap(({ text, handler }) => {
      const stored = known?.get(text)?.entities;
      if (stored && !stored.includes(type)) return [];
      if (!stored) isCertain = false;
      const place = places?.stores.get(handler)?.get(type) ?? places?.handlers.get(handler);
      return [
        {
          source: name,
          isTemplate,
          trigger: text,
          handler,
          ...extentOf(source.source),
          ...(place !== undefined && { place }),
        },
      ];
    });
  };
  const all = [
    ...dataSources.flatMap((source) => of(source, false)),
    ...templates.flatMap((source) => of(source, true)),
  ];
  return { all, isCertain };
}

/**
 * The handlers that can have stored a version of an entity.
 * @param block the block that wrote it
 * @param contract the contract whose event or call wrote it, in lower-case hex, if the version names it
 */
export function writersAt(
  all: readonly Writer[],
  block: number,
  contract: string | undefined,
): readonly Writer[] {
  return all.filter(
    ({ startBlock = 0, endBlock = Number.POSITIVE_INFINITY, address }) =>
      startBlock <= block &&
      block <= endBlock &&
      (contract === undefined || address === undefined || address === contract),
  );
}

function extentOf(source: ManifestValue | undefined): Pick<Writer, "address" | "startBlock" | "endBlock"> {
  const { address, startBlock, endBlock } = isMap(source) ? source : {};
  return {
    ...(typeof address === "string" && { address: address.toLowerCase() }),
    ...(typeof startBlock === "number" && { startBlock }),
    ...(typeof endBlock === "number" && { endBlock }),
  };
}

function stringOrEmpty(value: ManifestValue | undefined): string {
  return typeof value === "string" ? value : "";
}
