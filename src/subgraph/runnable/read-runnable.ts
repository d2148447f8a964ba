import type { ManifestNode } from "../manifest/manifest-node.js";
import { parseManifest } from "../manifest/parse-manifest.js";
import type { EntitySchema } from "../schema/entity-schema.js";
import { readEntitySchema } from "../schema/read-entity-schema.js";
import type {
  BuiltFiles,
  BuiltSubgraph,
  DataSource,
  Feature,
  FileMapping,
  Template,
} from "./built-subgraph.js";
import { LinkedFiles } from "./linked-files.js";
import { importNames } from "./module-names.js";
import { checkBlockHandlers } from "./read-block-handlers.js";
import { readContext } from "./read-context.js";
import { readHandlers } from "./read-handlers.js";
import { checkComposition, isForSubgraph, readSubgraphSource } from "./read-subgraph-source.js";
import { checkApiVersions, checkVersion, isAtLeast, specVersions } from "./versions.js";

/** Minimum number of blocks to keep, as in graph-node: a reorganisation can revert this many. */
const leastBlocks = 250;

/** The number of blocks that graph-node keeps with `prune: auto`. */
const automatic = 500;

const byName: ReadonlyMap<string, Feature> = new Map<string, Feature>([
  ["nonFatalErrors", "nonFatalErrors"],
  ["grafting", "grafting"],
  ["fullTextSearch", "fullTextSearch"],
  ["aggregations", "aggregations"],
  ["bytesAsIds", "bytesAsIds"],
  ["declaredEthCalls", "declaredEthCalls"],
  ["immutableEntities", "immutableEntities"],
  ["ipfsOnEthereumContracts", "ipfsOnEthereumContracts"],
  ["nonDeterministicIpfs", "ipfsOnEthereumContracts"],
]);

/**
 * Parses a built subgraph, and checks that this runtime supports it.
 * @throws BundleError for an invalid build, and for graph-node features that this runtime lacks; SchemaError for an
 *   invalid or unsupported schema
 */
export function readRunnable(built: BuiltFiles): BuiltSubgraph {
  const files = new LinkedFiles(built);
  return readSubgraph(parseManifest(files.manifest()).root, files, readEntitySchema);
}

/**
 * Reads a manifest that is already parsed.
 * @param entitiesOf reads the text of the schema
 * @throws as `readRunnable` does, and errors of `entitiesOf`
 */
export function readSubgraph(
  manifest: ManifestNode,
  files: LinkedFiles,
  entitiesOf: (schema: string) => EntitySchema,
): BuiltSubgraph {
  const specVersion = checkVersion(manifest.at("specVersion"), specVersions);
  const features = readFeatures(manifest.at("features"), specVersion);
  const graft = readGraft(manifest, features);
  const historyBlocks = readHistory(manifest, specVersion);
  const sources = manifest.at("dataSources").items();
  const [first] = sources;
  if (!first) throw manifest.at("dataSources").error("must contain a data source");
  const templates = manifest.at("templates").items();
  for (const source of sources) checkKind(source);
  for (const template of templates) checkTemplateKind(template);
  checkComposition(sources, specVersion);
  const apiVersion = checkApiVersions(first, [...sources, ...templates]);
  const context: Context = { files, specVersion, apiVersion, features };
  const network = networkOf(manifest, [...sources, ...templates]);
  const schema = files.schema(manifest);
  const subgraph = {
    network,
    specVersion,
    apiVersion,
    features,
    schema,
    ...(graft && { graft }),
    ...(historyBlocks !== undefined && { historyBlocks }),
    dataSources: sources.map((node, index) =>
      isForSubgraph(node) ? readComposed(node, index, context) : readDataSource(node, context),
    ),
    templates: templates.map((node) =>
      isForFiles(node) ? readFileTemplate(node, context) : readTemplate(node, context),
    ),
    modules: files.modules,
  };
  // Last, so that errors in the manifest are reported before errors in the schema.
  return { ...subgraph, entities: entitiesOf(schema) };
}

interface Context {
  readonly files: LinkedFiles;
  readonly specVersion: string;
  readonly apiVersion: string;
  readonly features: ReadonlySet<Feature>;
}

function networkOf(manifest: ManifestNode, sources: readonly ManifestNode[]): string {
  let network: string | undefined;
  for (const node of sources.map((source) => source.at("network"))) {
    if (!node.exists) continue;
    const name = node.text();
    network ??= name;
    if (name !== network) {
      throw node.error(`is ${name}, but another source is on ${network}: all sources must be on one network`);
    }
  }
  if (network === undefined) throw manifest.at("dataSources").error("name no network");
  return network;
}

function readTemplate(node: ManifestNode, { files, specVersion, apiVersion, features }: Context): Template {
  const mapping = node.at("mapping");
  const entries = mapping.at("abis").items();
  const abis = new Map(entries.map((entry) => [entry.at("name").text(), files.abi(entry)] as const));
  const source = node.at("source").at("abi");
  const abi = abis.get(source.text());
  if (abi === undefined) {
    throw source.error(
      `is ${source.text()}, which is not in mapping.abis: ${[...abis.keys()].join(", ") || "none"}`,
    );
  }
  return {
    module: readModule(mapping.at("file"), files, features),
    name: node.at("name").text(),
    abi: abi.name,
    abis,
    ...readHandlers(mapping, abi, abis, { specVersion, apiVersion }),
  };
}

function readFileTemplate(node: ManifestNode, { files, specVersion, features }: Context): Template {
  const mapping = node.at("mapping");
  const entries = mapping.at("abis").items();
  return {
    module: readModule(mapping.at("file"), files, features),
    name: node.at("name").text(),
    abi: "",
    abis: new Map(entries.map((entry) => [entry.at("name").text(), files.abi(entry)] as const)),
    eventHandlers: [],
    callHandlers: [],
    blockHandlers: [],
    file: readFileMapping(node, specVersion),
  };
}

function blockIn(node: ManifestNode): number {
  const block = node.integer();
  if (block < 0) throw node.error("must not be negative");
  return block;
}

/** The path of a mapping's WASM. @throws BundleError if it imports something that is not available */
function readModule(node: ManifestNode, files: LinkedFiles, features: ReadonlySet<Feature>): string {
  const path = files.module(node);
  checkWasmImports(node, files.modules.get(path) ?? new Uint8Array(), features);
  return path;
}

const hexAddress = /^(?:0x)?([0-9a-fA-F]{40})$/;

function readDataSource(node: ManifestNode, context: Context): DataSource {
  const template = readTemplate(node, context);
  const source = node.at("source");
  const address = source.at("address");
  const digits = address.exists ? hexAddress.exec(address.text())?.[1] : undefined;
  if (address.exists && digits === undefined) {
    throw address.error(`is ${address.text()}, which is not an address: 0x and 40 hex digits, in quotes`);
  }
  if (!address.exists && template.callHandlers.length > 0) {
    throw address.error("is missing, but call handlers require it");
  }
  if (!address.exists && template.blockHandlers.length > 0) {
    throw address.error("is missing, but block handlers require it");
  }
  checkBlockHandlers(node.at("mapping").at("blockHandlers"), template.blockHandlers);
  const endBlock = source.at("endBlock");
  if (endBlock.exists && !isAtLeast(context.specVersion, "0.0.9")) {
    throw endBlock.error(`requires specVersion 0.0.9, but the manifest has ${context.specVersion}`);
  }
  const startBlock = source.at("startBlock");
  return {
    ...template,
    ...(digits !== undefined && { address: `0x${digits.toLowerCase()}` }),
    startBlock: startBlock.exists ? blockIn(startBlock) : 0,
    ...(endBlock.exists ? { endBlock: blockIn(endBlock) } : {}),
    context: readContext(node.at("context")),
  };
}

/** Reads a data source that listens to another subgraph. As in graph-node, its end block has no effect. */
function readComposed(node: ManifestNode, index: number, { files, features }: Context): DataSource {
  const startBlock = node.at("source").at("startBlock");
  return {
    module: readModule(node.at("mapping").at("file"), files, features),
    name: node.at("name").text(),
    abi: "",
    eventHandlers: [],
    callHandlers: [],
    blockHandlers: [],
    ...readSubgraphSource(node, index, files),
    startBlock: startBlock.exists ? blockIn(startBlock) : 0,
    context: readContext(node.at("context")),
  };
}

/** Features that a manifest must declare before it uses them. */
const required: readonly Feature[] = ["grafting", "fullTextSearch", "ipfsOnEthereumContracts"];

/**
 * The features that a manifest may use: the declared ones, and before specVersion 0.0.4 also every feature whose
 * declaration has been required since.
 * @throws BundleError for an unknown one
 */
function readFeatures(node: ManifestNode, specVersion: string): ReadonlySet<Feature> {
  const declared = node.items().map((item) => {
    const feature = byName.get(item.text());
    if (feature) return feature;
    throw item.error(`is ${item.text()}, but must be one of ${[...byName.keys()].join(", ")}`);
  });
  return new Set(isAtLeast(specVersion, "0.0.4") ? declared : [...declared, ...required]);
}

/** Reads the mapping of a template for files. @throws BundleError */
function readFileMapping(template: ManifestNode, specVersion: string): FileMapping {
  if (!isAtLeast(specVersion, "0.0.7")) {
    const kind = template.at("kind");
    throw kind.error(
      `is ${kind.text()}, which requires specVersion 0.0.7, but the manifest has ${specVersion}`,
    );
  }
  const mapping = template.at("mapping");
  return {
    handler: mapping.at("handler").text(),
    ...(template.at("kind").text() === "file/arweave" && { isArweave: true as const }),
    entities: new Set(
      mapping
        .at("entities")
        .items()
        .map((item) => item.text()),
    ),
  };
}

/**
 * How many blocks before the chain head queries can reach, according to `indexerHints`; `undefined` if all blocks are
 * kept.
 * @throws BundleError for an invalid hint
 */
function readHistory(manifest: ManifestNode, specVersion: string): number | undefined {
  const prune = manifest.at("indexerHints").at("prune");
  if (!prune.exists) return undefined;
  if (!isAtLeast(specVersion, "1.0.0")) {
    throw prune.error(`requires specVersion 1.0.0, but the manifest has ${specVersion}`);
  }
  const text = prune.text();
  if (text === "never") return undefined;
  if (text === "auto") return automatic;
  const blocks = Number(text);
  if (!/^\d+$/.test(text) || blocks > 2_147_483_647) {
    throw prune.error(`is ${JSON.stringify(text)}, but must be auto, never or a number of blocks`);
  }
  return Math.max(blocks, leastBlocks);
}

/** Reads a manifest's graft. @throws BundleError for a graft that graph-node refuses */
function readGraft(manifest: ManifestNode, features: ReadonlySet<Feature>): BuiltSubgraph["graft"] {
  const graft = manifest.at("graft");
  if (!graft.exists) return undefined;
  if (!features.has("grafting")) {
    throw graft.error("requires the feature grafting");
  }
  const block = graft.at("block").integer();
  if (block < 0) throw graft.at("block").error("must not be negative");
  return { base: graft.at("base").text(), block };
}

const supportedKinds = new Set(["ethereum", "ethereum/contract"]);
const fileKinds = new Set(["file/ipfs", "file/arweave"]);

/** @throws BundleError for a source of an unsupported kind */
function checkKind(source: ManifestNode): void {
  const kind = source.at("kind");
  const name = kind.text();
  if (supportedKinds.has(name) || isForSubgraph(source)) return;
  if (fileKinds.has(name)) throw kind.error(`is ${name}, which is only allowed in templates`);
  throw kind.error(`is ${name}, which is not supported: the kind of a source must be ethereum or subgraph`);
}

/** @throws BundleError for a template of an unsupported kind */
function checkTemplateKind(template: ManifestNode): void {
  if (isForFiles(template)) return;
  if (isForSubgraph(template)) {
    throw template.at("kind").error("is subgraph, which is only allowed in data sources");
  }
  checkKind(template);
}

/** Whether a template is for files. */
function isForFiles(template: ManifestNode): boolean {
  return fileKinds.has(template.at("kind").text());
}

const ofIpfs: ReadonlySet<string> = new Set(["ipfs.cat", "ipfs.getBlock", "ipfs.map"]);

/** @throws BundleError for a mapping that imports something undeclared */
function checkWasmImports(file: ManifestNode, wasm: Uint8Array, features: ReadonlySet<Feature>): void {
  for (const name of importNames(wasm)) {
    if (ofIpfs.has(name) && !features.has("ipfsOnEthereumContracts")) {
      throw file.error(
        `imports ${name}, which requires the feature ipfsOnEthereumContracts, but the manifest does not declare it`,
      );
    }
  }
}
