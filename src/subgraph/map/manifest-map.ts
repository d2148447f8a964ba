import { isMap, type Manifest, type ManifestMap, type ManifestValue } from "../manifest/manifest.js";
import type { HandlerFacts, MapFacts } from "../map-facts.js";
import { groupContracts, type MapContract, type MapTrigger, type SubgraphMap } from "./subgraph-map.js";

/**
 * The map of a build. A manifest says which entity types a mapping stores, but not which of its handlers stores
 * which; builds compiled from configurations carry that in a separate file. Leaves out anything missing or malformed.
 * @param entities the entity types in schema order
 * @param facts what handlers store and create, as far as known
 */
export function mapOfManifest(
  { dataSources, templates = [] }: Manifest,
  title: string,
  entities: readonly string[],
  facts: MapFacts = new Map(),
): SubgraphMap {
  const known = knownOf(facts, new Set(entities));
  const listening = [
    ...dataSources.map((source) => listenerOf(source, false, known)),
    ...templates.map((source) => listenerOf(source, true, known)),
  ];
  const stored = listening.flatMap((listener) => [
    ...listener.entities,
    ...listener.triggers.flatMap((trigger) => trigger.entities),
  ]);
  return { title, groups: groupContracts(listening), entities: [...new Set([...entities, ...stored])] };
}

/** Keeps only entity types in the schema, because the facts are untrusted. */
function knownOf(facts: MapFacts, entities: ReadonlySet<string>): MapFacts {
  const own = ({ entities: stored, creates, ...more }: HandlerFacts): HandlerFacts => ({
    ...more,
    entities: [...new Set(stored)].filter((name) => entities.has(name)),
    creates: [...new Set(creates)],
  });
  return new Map(
    [...facts].map(([name, triggers]) => [
      name,
      new Map([...triggers].map(([text, trigger]) => [text, own(trigger)])),
    ]),
  );
}

function listenerOf(source: ManifestMap, isTemplate: boolean, facts: MapFacts) {
  const mapping = isMap(source.mapping) ? source.mapping : {};
  const known = facts.get(scalarText(source.name));
  const triggers = mapTriggers(mapping).map(({ kind, text }) => ({
    kind,
    text,
    parameters: [],
    calls: [],
    entities: [],
    creates: [],
    ...known?.get(text),
  }));
  const all = listOf(mapping.entities).filter((name) => typeof name === "string");
  return { contract: contractOf(source, isTemplate), triggers, entities: known ? [] : all };
}

function contractOf({ name, network, source }: ManifestMap, isTemplate: boolean): MapContract {
  const { abi, address, startBlock } = isMap(source) ? source : {};
  return {
    name: scalarText(name),
    abi: scalarText(abi),
    network: scalarText(network),
    address: scalarText(address),
    startBlock: typeof startBlock === "number" ? startBlock : undefined,
    isTemplate,
  };
}

/** The triggers of a mapping with their handlers, in the words of the map. */
export function mapTriggers(
  mapping: ManifestMap,
): readonly (Pick<MapTrigger, "kind" | "text"> & { readonly handler: string })[] {
  const of = (
    kind: MapTrigger["kind"],
    list: ManifestValue | undefined,
    text: (one: ManifestMap) => string,
  ) => mapsIn(list).map((one) => ({ kind, text: text(one), handler: scalarText(one.handler) }));
  const { handler } = mapping;
  return [
    ...of("event", mapping.eventHandlers, ({ event }) => scalarText(event)),
    ...of("call", mapping.callHandlers, (one) => scalarText(one.function)),
    ...of("block", mapping.blockHandlers, ({ filter }) => blockText(filter)),
    ...of("entity", mapping.handlers, ({ entity }) => scalarText(entity)),
    ...(typeof handler === "string" ? [{ kind: "file" as const, text: "a file", handler }] : []),
  ];
}

function blockText(filter: ManifestValue | undefined): string {
  if (!isMap(filter)) return "every block";
  if (filter.kind === "polling") return `every ${scalarText(filter.every)} blocks`;
  return filter.kind === "once" ? "the first block" : "every block with a call";
}

function mapsIn(value: ManifestValue | undefined): readonly ManifestMap[] {
  return listOf(value).filter(isMap);
}

function listOf(value: ManifestValue | undefined): readonly ManifestValue[] {
  return Array.isArray(value) ? value : [];
}

function scalarText(value: ManifestValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
