import { isMap, type Manifest, type ManifestMap, type ManifestValue } from "../manifest/manifest.js";
import { groupContracts, type MapContract, type MapTrigger, type SubgraphMap } from "./subgraph-map.js";

/**
 * The map of a build. A manifest says which entity types a mapping stores, but not which of its handlers.
 * What is missing or has the wrong shape is left out.
 * @param title what the drawing is of
 * @param entities the entity types of its schema, in order
 */
export function mapOfManifest(
  { dataSources, templates = [] }: Manifest,
  title: string,
  entities: readonly string[],
): SubgraphMap {
  const listening = [
    ...dataSources.map((source) => listenerOf(source, false)),
    ...templates.map((source) => listenerOf(source, true)),
  ];
  const stored = new Set(listening.flatMap((listener) => listener.entities));
  return { title, groups: groupContracts(listening), entities: [...new Set([...entities, ...stored])] };
}

function listenerOf(source: ManifestMap, isTemplate: boolean) {
  const mapping = isMap(source.mapping) ? source.mapping : {};
  return {
    contract: contractOf(source, isTemplate),
    triggers: triggersOf(mapping),
    entities: listOf(mapping.entities).filter((name) => typeof name === "string"),
  };
}

function contractOf({ name, network, source }: ManifestMap, isTemplate: boolean): MapContract {
  const { address, startBlock } = isMap(source) ? source : {};
  const details = [
    textOf(network),
    textOf(address),
    ...(typeof startBlock === "number" ? [`from block ${startBlock}`] : []),
  ];
  return { name: textOf(name), details: details.filter((line) => line !== ""), isTemplate };
}

function triggersOf(mapping: ManifestMap): readonly MapTrigger[] {
  const trigger = (kind: MapTrigger["kind"], text: string): MapTrigger => ({
    kind,
    text,
    entities: [],
    creates: [],
  });
  return [
    ...mapsIn(mapping.eventHandlers).map(({ event }) => trigger("event", textOf(event))),
    ...mapsIn(mapping.callHandlers).map((handler) => trigger("call", textOf(handler.function))),
    ...mapsIn(mapping.blockHandlers).map(({ filter }) => trigger("block", blockText(filter))),
    ...(typeof mapping.handler === "string" ? [trigger("file", "a file")] : []),
  ];
}

function blockText(filter: ManifestValue | undefined): string {
  if (!isMap(filter)) return "every block";
  if (filter.kind === "polling") return `every ${textOf(filter.every)} blocks`;
  return filter.kind === "once" ? "the first block" : "every block with a call";
}

function mapsIn(value: ManifestValue | undefined): readonly ManifestMap[] {
  return listOf(value).filter(isMap);
}

function listOf(value: ManifestValue | undefined): readonly ManifestValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: ManifestValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
