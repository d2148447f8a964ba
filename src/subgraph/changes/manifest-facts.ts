import { isMap, type Manifest, type ManifestMap, type ManifestValue } from "../manifest/manifest.js";
import type { SourceFacts, TriggerFacts } from "./facts.js";

/**
 * A manifest's facts about a subgraph. They do not show which entities a handler stores: each may store any that its
 * data source names.
 * @param digestOf returns a digest of a file that the manifest links to
 */
export function factsOfManifest(
  { dataSources, templates = [] }: Manifest,
  digestOf: (path: string) => string,
): readonly SourceFacts[] {
  return [
    ...dataSources.map((source) => factsOf(source, "contract", digestOf)),
    ...templates.map((source) => factsOf(source, "template", digestOf)),
  ];
}

function factsOf(
  { name, network, source, mapping, kind: ofSource }: ManifestMap,
  kind: SourceFacts["kind"],
  digestOf: (path: string) => string,
): SourceFacts {
  const { address, startBlock, abi } = isMap(source) ? source : {};
  const code = isMap(mapping) ? mapping : {};
  const stores = listIn(code.entities).flatMap((entity) => (typeof entity === "string" ? [{ entity }] : []));
  return {
    kind,
    chain: textIn(network),
    name: textIn(name),
    abi: textIn(abi),
    ...(typeof address === "string" && {
      address: ofSource === "subgraph" ? address : address.toLowerCase(),
    }),
    ...(kind === "contract" && typeof startBlock === "number" && { startBlock }),
    triggers: triggersIn(code).map((trigger) => ({ ...trigger, stores })),
    mapping: typeof code.file === "string" ? digestOf(code.file) : "",
  };
}

type Trigger = Omit<TriggerFacts, "stores">;

function triggersIn(mapping: ManifestMap): readonly Trigger[] {
  return [
    ...mapsIn(mapping.eventHandlers).map(
      (handler): Trigger => ({ kind: "event", signature: textIn(handler.event), filter: topicsOf(handler) }),
    ),
    ...mapsIn(mapping.callHandlers).map(
      (handler): Trigger => ({ kind: "call", signature: textIn(handler.function), filter: "" }),
    ),
    ...mapsIn(mapping.blockHandlers).map(
      ({ filter }): Trigger => ({ kind: "block", signature: "a block", filter: filterText(filter) }),
    ),
    ...mapsIn(mapping.handlers).map(
      (handler): Trigger => ({ kind: "entity", signature: textIn(handler.entity), filter: "" }),
    ),
    ...(typeof mapping.handler === "string"
      ? [{ kind: "file", signature: "a file", filter: "" } as const]
      : []),
  ];
}

/** Events also differ by the values of their indexed parameters. */
function topicsOf(handler: ManifestMap): string {
  const topics = ["topic0", "topic1", "topic2", "topic3"].flatMap((topic) => {
    const value = handler[topic];
    return value === undefined ? [] : [`${topic} ${JSON.stringify(value)}`];
  });
  return topics.join(", ");
}

function filterText(filter: ManifestValue | undefined): string {
  if (!isMap(filter)) return "";
  return `${textIn(filter.kind)}${filter.every === undefined ? "" : ` ${textIn(filter.every)}`}`;
}

function mapsIn(value: ManifestValue | undefined): readonly ManifestMap[] {
  return listIn(value).filter(isMap);
}

function listIn(value: ManifestValue | undefined): readonly ManifestValue[] {
  return Array.isArray(value) ? value : [];
}

function textIn(value: ManifestValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
