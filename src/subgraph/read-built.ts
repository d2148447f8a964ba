import { posix } from "node:path";
import type { BuiltFiles, BuiltSubgraph, DataSource, Template } from "./built-subgraph.js";
import { BuiltSubgraphError, ManifestNode } from "./manifest-node.js";
import { readContext } from "./read-context.js";
import { readHandlers } from "./read-handlers.js";
import { checkApiVersions, checkVersion, isAtLeast, specVersions } from "./versions.js";

/**
 * Reads a built subgraph and checks that it can be run.
 * @throws BuiltSubgraphError for what is wrong with it, and for what graph-node does and this runtime does not
 */
export function readBuilt(files: BuiltFiles): BuiltSubgraph {
  const reader = new FileReader(files);
  const manifest = ManifestNode.parse(reader.manifest());
  const specVersion = checkVersion(manifest.at("specVersion"), specVersions);
  if (manifest.at("graft").exists) {
    throw manifest.at("graft").error("asks for grafting, which graphloom run does not support");
  }
  const sources = manifest.at("dataSources").items();
  const [first] = sources;
  if (!first) throw manifest.at("dataSources").error("must have a data source");
  const templates = manifest.at("templates").items();
  const apiVersion = checkApiVersions(first, [...sources, ...templates]);
  const modules = new Map<string, Uint8Array>();
  const context: Context = { reader, modules, specVersion, apiVersion };
  return {
    network: networkOf(manifest, [...sources, ...templates]),
    apiVersion,
    schema: reader.text(manifest.at("schema").at("file")),
    dataSources: sources.map((node) => readDataSource(node, context)),
    templates: templates.map((node) => readTemplate(node, context)),
    modules,
  };
}

interface Context {
  readonly reader: FileReader;
  /** Gets the modules that are read. */
  readonly modules: Map<string, Uint8Array>;
  readonly specVersion: string;
  readonly apiVersion: string;
}

function networkOf(manifest: ManifestNode, sources: readonly ManifestNode[]): string {
  let network: string | undefined;
  for (const node of sources.map((source) => source.at("network"))) {
    if (!node.exists) continue;
    const name = node.text();
    network ??= name;
    if (name !== network) {
      throw node.error(`is ${name}, but another source is on ${network}: it must be one network`);
    }
  }
  if (network === undefined) throw manifest.at("dataSources").error("name no network");
  return network;
}

const supportedKinds = new Set(["ethereum", "ethereum/contract"]);

function checkKind(node: ManifestNode): void {
  const kind = node.at("kind");
  const name = kind.text();
  if (supportedKinds.has(name)) return;
  throw kind.error(`is ${name}, which graphloom run does not support: it runs sources of the kind ethereum`);
}

function readTemplate(node: ManifestNode, { reader, modules, specVersion, apiVersion }: Context): Template {
  checkKind(node);
  const mapping = node.at("mapping");
  const abis = new Map(
    mapping
      .at("abis")
      .items()
      .map((abi) => [abi.at("name").text(), reader.text(abi.at("file"))] as const),
  );
  const source = node.at("source").at("abi");
  const abi = source.text();
  const text = abis.get(abi);
  if (text === undefined) {
    throw source.error(
      `is ${abi}, which is not among mapping.abis: ${[...abis.keys()].join(", ") || "none"}`,
    );
  }
  const module = reader.path(mapping.at("file"));
  modules.set(module, reader.bytes(mapping.at("file")));
  return {
    name: node.at("name").text(),
    abi,
    abis,
    module,
    ...readHandlers(mapping, { name: abi, text }, { specVersion, apiVersion }),
  };
}

const hexAddress = /^0x[0-9a-fA-F]{40}$/;

function readDataSource(node: ManifestNode, context: Context): DataSource {
  const template = readTemplate(node, context);
  const source = node.at("source");
  const address = source.at("address");
  if (address.exists && !hexAddress.test(address.text())) {
    throw address.error(`is ${address.text()}, which is not an address: 0x and 40 hex digits, in quotes`);
  }
  if (!address.exists && template.callHandlers.length > 0) {
    throw address.error("is missing, and call handlers need one");
  }
  const endBlock = source.at("endBlock");
  if (endBlock.exists && !isAtLeast(context.specVersion, "0.0.9")) {
    throw endBlock.error(`needs specVersion 0.0.9, and the manifest has ${context.specVersion}`);
  }
  const startBlock = source.at("startBlock");
  return {
    ...template,
    ...(address.exists ? { address: address.text().toLowerCase() } : {}),
    startBlock: startBlock.exists ? startBlock.integer() : 0,
    ...(endBlock.exists ? { endBlock: endBlock.integer() } : {}),
    context: readContext(node.at("context")),
  };
}

/** Files by what the manifest calls them. */
class FileReader {
  readonly #files: BuiltFiles;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();

  constructor(files: BuiltFiles) {
    this.#files = files;
  }

  manifest(): string {
    const content = this.#files.files.get(this.#files.manifest);
    if (content !== undefined) return this.#toText(content);
    throw new BuiltSubgraphError(`there is no ${this.#files.manifest} in the build`);
  }

  /** The path of a linked file among the files. */
  path(link: ManifestNode): string {
    return posix.join(posix.dirname(this.#files.manifest), link.link());
  }

  text(link: ManifestNode): string {
    return this.#toText(this.#find(link));
  }

  bytes(link: ManifestNode): Uint8Array {
    const content = this.#find(link);
    return typeof content === "string" ? this.#encoder.encode(content) : content;
  }

  #toText(content: string | Uint8Array): string {
    return typeof content === "string" ? content : this.#decoder.decode(content);
  }

  #find(link: ManifestNode): string | Uint8Array {
    const path = this.path(link);
    const content = this.#files.files.get(path);
    if (content === undefined) throw link.error(`names the file ${path}, which is not in the build`);
    return content;
  }
}
