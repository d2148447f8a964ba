import { groupBy } from "../../../base/group-by.js";
import type { Diagram } from "../../../subgraph/map/diagram.js";
import type { MapContract } from "../../../subgraph/map/subgraph-map.js";
import { explorerOf } from "../entities/explorer.js";
import type { MapLine } from "./map-lines.js";

/** The address of the page with the entities of a type. */
export type EntityAddress = (type: string) => string;

/**
 * The addresses of the boxes of a map, by their keys. An entity type leads to its entities, a contract to its address
 * in the explorer of its chain, and a handler to the entities that it stores. All other boxes lead to their lines in
 * the list below the map.
 */
export function mapLinks(
  { entities, edges }: Diagram,
  lines: readonly MapLine[],
  addressOf: EntityAddress,
): ReadonlyMap<string, string> {
  const pages = new Map(entities.map(({ key, name }) => [key, addressOf(name)]));
  const stores = groupBy(
    edges.filter(({ kind }) => kind === "stores"),
    ({ from }) => from,
  );
  const links = new Map(pages);
  for (const { id, box, drawn, contracts } of lines) {
    const [stored, ...others] = stores.get(box.key) ?? [];
    const only = others.length === 0 ? pages.get(stored?.to ?? "") : undefined;
    links.set(box.key, only ?? `#${id}`);
    const explorers = new Map(contracts.map((one) => [one.name, explorerAddress(one)]));
    for (const { key, names } of drawn.contracts) {
      const [name = "", ...folded] = names;
      if (!links.has(key)) links.set(key, (folded.length === 0 && explorers.get(name)) || `#${id}`);
    }
  }
  return links;
}

/** The address of a contract in the explorer of its chain, if both are known. */
export function explorerAddress({
  network,
  address,
}: Pick<MapContract, "network" | "address">): string | undefined {
  // Manifests are untrusted.
  return /^0x[\da-f]{40}$/i.test(address) ? explorerOf(network)?.address(address) : undefined;
}
