import { isRecord, parseJson } from "../base/text/json-value.js";
import { BundleError } from "./bundle-error.js";

/** Path of the file within a build. No manifest links to it, so it does not affect the deployment id. */
export const mapFactsPath = "graphloom.map.json";

/** Maximum size of the file in bytes. */
export const largestMapFacts = 1_000_000;

/** What a handler does that the manifest does not show. */
export interface HandlerFacts {
  /** The entity types that it stores. */
  readonly entities: readonly string[];
  /** The templates from which it creates data sources. */
  readonly creates: readonly string[];
  /** The names of its trigger's parameters; empty if they are unknown. */
  readonly parameters?: readonly string[];
  /** The functions of contracts that it calls: `ERC20.balanceOf`. */
  readonly calls?: readonly string[];
}

/** The facts by name of the data source or template, then by trigger: `Transfer(address,uint256)`. */
export type MapFacts = ReadonlyMap<string, ReadonlyMap<string, HandlerFacts>>;

/** Serializes the facts. */
export function printMapFacts(facts: MapFacts): Uint8Array {
  const sources = [...facts].map(([name, triggers]) => [
    name,
    [...triggers].map(([text, { entities, creates, parameters = [], calls = [] }]) => [
      text,
      entities,
      creates,
      // Files of earlier versions end here.
      ...(parameters.length + calls.length > 0 ? [parameters, calls] : []),
    ]),
  ]);
  return new TextEncoder().encode(JSON.stringify({ version: 1, sources }));
}

/**
 * Parses the file, which is untrusted.
 * @throws BundleError if it is invalid
 */
export function readMapFacts(content: string | Uint8Array): MapFacts {
  if (content.length > largestMapFacts) throw damaged();
  const value = parseJson(typeof content === "string" ? content : new TextDecoder().decode(content));
  if (!isRecord(value) || value.version !== 1) throw damaged();
  return new Map(
    listOf(value.sources).map((source) => {
      const [name, triggers] = listOf(source);
      return [requireString(name), new Map(listOf(triggers).map(triggerOf))];
    }),
  );
}

function triggerOf(value: unknown): readonly [string, HandlerFacts] {
  const [text, entities, creates, parameters, calls] = listOf(value);
  const known = {
    entities: listOf(entities).map(requireString),
    creates: listOf(creates).map(requireString),
  };
  return [
    requireString(text),
    parameters === undefined
      ? known
      : {
          ...known,
          parameters: listOf(parameters).map(requireString),
          calls: listOf(calls).map(requireString),
        },
  ];
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged();
  return value;
}

function requireString(value: unknown): string {
  if (typeof value !== "string") throw damaged();
  return value;
}

function damaged(): BundleError {
  return new BundleError(`${mapFactsPath} is damaged; rebuild the subgraph, or remove the file`);
}
