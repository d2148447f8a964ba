import { keccak256 } from "ethers/crypto";
import { type AbiEvent, manifestSignature, plainSignature } from "../abi/abi.js";
import type { Handler } from "../model/handler.js";
import type { AbiModel, ChainModel, DataSourceModel, SourceModel, SubgraphModel } from "../model/subgraph.js";
import type { Templates } from "./templates.js";

/** Words that YAML 1.1 parsers, such as graph-cli's, do not read as strings. */
const notText = /^(?:~|null|true|false|yes|no|on|off|y|n)$/i;

/** Paths of the files that a manifest links to, relative to the manifest. */
export interface ManifestPaths {
  readonly schema: string;
  mapping(source: SourceModel, isTemplate: boolean): string;
  abi(source: SourceModel, abi: AbiModel): string;
}

/** The paths in a project's own manifest, which is beside its sources. */
export const projectPaths: ManifestPaths = {
  schema: "./schema.graphql",
  mapping: () => "./src/mapping.ts",
  abi: (_, abi) => `./abis/${abi.className}.json`,
};

/** Emits the manifest of one chain of a model. */
export function emitManifest(
  model: SubgraphModel,
  chain: ChainModel,
  paths: ManifestPaths,
  templates: Templates,
): string {
  const network = yamlScalar(chain.chain);
  const entityOrder = model.entities.map(({ name }) => name);
  const view = (source: SourceModel, isTemplate: boolean): object => ({
    ...sourceView(source, entityOrder, model.mapping?.types ?? [], paths),
    network,
    mappingFile: yamlScalar(paths.mapping(source, isTemplate)),
  });
  return templates.print("manifest", {
    specVersion: specVersion(chain),
    description: model.description ? yamlScalar(model.description) : "",
    features: features(model),
    schemaFile: yamlScalar(paths.schema),
    dataSources: chain.dataSources.map((source) => ({ ...view(source, false), ...placeView(source) })),
    templates: chain.templates.map((source) => ({
      ...view(source, true),
      address: "",
      hasStartBlock: false,
    })),
  });
}

function placeView({ address, startBlock }: DataSourceModel): object {
  return { address: JSON.stringify(address), hasStartBlock: true, startBlock };
}

function sourceView(
  source: SourceModel,
  entityOrder: readonly string[],
  ownTypes: readonly string[],
  paths: ManifestPaths,
): Record<string, unknown> {
  // It is unknown which types a user's own function stores.
  const written = new Set([
    ...source.handlers.flatMap(writtenEntities),
    ...(source.handlers.some(({ own }) => own) ? ownTypes : []),
  ]);
  return {
    name: yamlScalar(source.name),
    abi: yamlScalar(source.abi.className),
    entities: entityOrder.filter((name) => written.has(name)).map(yamlScalar),
    abis: source.abis.map((abi) => ({
      name: yamlScalar(abi.className),
      file: yamlScalar(paths.abi(source, abi)),
    })),
    eventHandlers: source.handlers.flatMap(eventView),
    callHandlers: source.handlers.flatMap(callView),
  };
}

function writtenEntities({ entity, enrichment }: Handler): readonly string[] {
  return [entity, ...(enrichment?.entities.map(({ type }) => type) ?? [])];
}

function eventView({ trigger, name, readsReceipt, enrichment }: Handler): readonly object[] {
  if (trigger.kind !== "event") return [];
  const calls = enrichment?.calls.flatMap(({ ref, declared }) =>
    declared ? [{ label: yamlScalar(ref), call: yamlScalar(declared.text) }] : [],
  );
  const { event } = trigger.bound;
  return [
    {
      event: yamlScalar(manifestSignature(event)),
      topic0: event.standsFor ? JSON.stringify(topicOf(event.standsFor.event)) : "",
      handler: yamlScalar(name),
      receipt: readsReceipt,
      calls: calls ?? [],
    },
  ];
}

/** Topic 0 of an event's logs. */
function topicOf(event: AbiEvent): string {
  return keccak256(new TextEncoder().encode(plainSignature(event)));
}

function callView({ trigger, name }: Handler): readonly object[] {
  if (trigger.kind !== "call") return [];
  return [{ function: yamlScalar(plainSignature(trigger.bound.fn)), handler: yamlScalar(name) }];
}

function allHandlers({ dataSources, templates }: ChainModel): readonly Handler[] {
  return [...new Set([...dataSources, ...templates].flatMap(({ handlers }) => handlers))];
}

/**
 * The lowest `specVersion` that supports the features in use, and the faster of the two hashes for proofs of indexing,
 * which graph-node takes since 0.0.6.
 */
function specVersion(chain: ChainModel): string {
  const handlers = allHandlers(chain);
  const declared = handlers.flatMap(
    ({ enrichment }) => enrichment?.calls.flatMap((call) => call.declared ?? []) ?? [],
  );
  if (declared.some(({ readsStruct }) => readsStruct)) return "1.4.0";
  if (declared.length > 0) return "1.2.0";
  return "0.0.6";
}

/**
 * The features that graph-node requires a manifest to declare. graph-node checks the WASM's imports, which all chains
 * share, so every manifest declares the features that any handler uses.
 */
function features({ modules, mapping }: SubgraphModel): readonly string[] {
  const usesIpfs =
    /\bipfs\s*\./.test(mapping?.file.text ?? "") ||
    modules.some(({ handlers }) =>
      handlers.some(({ enrichment }) => enrichment?.graphTsNames.includes("ipfs")),
    );
  return usesIpfs ? ["ipfsOnEthereumContracts"] : [];
}

/**
 * Formats a text as a one-line YAML scalar: plain if every parser reads it as the same string, otherwise
 * quoted.
 */
export function yamlScalar(text: string): string {
  const isPlain = /^(?:[A-Za-z_]|\.\/)(?:[\w$ (),[\]./-]*[\w)\]])?$/.test(text);
  return isPlain && !notText.test(text) ? text : quoted(text);
}

/** JSON's quoting is valid YAML, except that YAML requires more characters to be escaped. */
function quoted(text: string): string {
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}
