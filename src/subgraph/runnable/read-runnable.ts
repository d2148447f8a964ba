import type { ManifestNode } from "../manifest/manifest-node.js";
import { parseManifest } from "../manifest/parse-manifest.js";
import type { EntitySchema } from "../schema/entity-schema.js";
import { readEntitySchema } from "../schema/read-entity-schema.js";
import type { BuiltFiles, BuiltSubgraph, DataSource, Feature, Template } from "./built-subgraph.js";
import { LinkedFiles } from "./linked-files.js";
import { checkBlockHandlers } from "./read-block-handlers.js";
import { readContext } from "./read-context.js";
import { readFeatures } from "./read-features.js";
import { readFileMapping } from "./read-file-mapping.js";
import { readHandlers } from "./read-handlers.js";
import { readHistory } from "./read-history.js";
import {
  checkKind,
  checkTemplateKind,
  checkWasmImports,
  type FileKinds,
  isForFiles,
  readGraft,
} from "./supported.js";
import { checkApiVersions, checkVersion, isAtLeast, specVersions } from "./versions.js";

/**
 * Parses a built subgraph, and checks that this runtime supports it.
 * @throws BundleError for an invalid build, and for graph-node features that this runtime lacks; SchemaError for an
 *   invalid or unsupported schema
 */
export function readRunnable(built: BuiltFiles, kinds: FileKinds = {}): BuiltSubgraph {
  const files = new LinkedFiles(built);
  return readSubgraph(parseManifest(files.manifest()).root, files, readEntitySchema, kinds);
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
  kinds: FileKinds = {},
): BuiltSubgraph {
  const specVersion = checkVersion(manifest.at("specVersion"), specVersions);
  const graft = readGraft(manifest);
  const historyBlocks = readHistory(manifest, specVersion);
  const sources = manifest.at("dataSources").items();
  const [first] = sources;
  if (!first) throw manifest.at("dataSources").error("must contain a data source");
  const templates = manifest.at("templates").items();
  for (const source of sources) checkKind(source);
  for (const template of templates) checkTemplateKind(template, kinds);
  const apiVersion = checkApiVersions(first, [...sources, ...templates]);
  const features = readFeatures(manifest.at("features"));
  const context: Context = { files, specVersion, apiVersion, features };
  const network = networkOf(manifest, [...sources, ...templates]);
  const schema = files.schema(manifest);
  const subgraph = {
    network,
    apiVersion,
    features,
    schema,
    ...(graft && { graft }),
    ...(historyBlocks !== undefined && { historyBlocks }),
    dataSources: sources.map((node) => readDataSource(node, context)),
    templates: templates.map((node) =>
      isForFiles(node, kinds) ? readFileTemplate(node, context) : readTemplate(node, context),
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
