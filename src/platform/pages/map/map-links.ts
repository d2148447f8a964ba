import { groupBy } from "../../../base/group-by.js";
import type { Diagram } from "../../../subgraph/map/diagram.js";
import { explorerOf } from "../entities/explorer.js";
import type { MapLine } from "./map-lines.js";
import type { MapSource } from "./maps.js";

/** Where the boxes of a map can lead. */
export interface MapTargets {
  readonly sources: ReadonlyMap<string, MapSource>;
  /** The address of the page with the entities of a type. */
  entity(type: string): string;
}

/**
 * The addresses of the boxes of a map, by their keys. An entity type leads to its entities, a contract to its address in
 * the explorer of its chain, and a handler to the entities that it stores. Whatever leads nowhere else leads to its line
 * in the list below the map.
 */
export function mapLinks(
  { entities, edges }: Diagram,
  lines: readonly MapLine[],
  { sources, entity }: MapTargets,
): ReadonlyMap<string, string> {
  const pages = new Map(entities.map(({ key, name }) => [key, entity(name)]));
  const stores = groupBy(
    edges.filter(({ kind }) => kind === "stores"),
    ({ from }) => from,
  );
  const links = new Map(pages);
  for (const { id, handler, drawn } of lines) {
    const [stored, ...others] = stores.get(handler.key) ?? [];
    const only = others.length === 0 ? pages.get(stored?.to ?? "") : undefined;
    links.set(handler.key, only ?? `#${id}`);
    for (const { key, name } of drawn.contracts) {
      if (!links.has(key)) links.set(key, explorerAddress(sources.get(name)) ?? `#${id}`);
    }
  }
  return links;
}

/** The address of a contract in the explorer of its chain, if both are known. */
export function explorerAddress(source: MapSource | undefined): string | undefined {
  const { network = "", address = "" } = source ?? {};
  // Manifests are untrusted.
  return /^0x[\da-f]{40}$/i.test(address) ? explorerOf(network)?.address(address) : undefined;
}
