import type { ManifestNode } from "../manifest/manifest-node.js";
import type { BuiltSubgraph, Feature } from "./built-subgraph.js";
import { importNames } from "./module-names.js";

/** Reads a manifest's graft. @throws BundleError for a graft that graph-node refuses */
export function readGraft(manifest: ManifestNode): BuiltSubgraph["graft"] {
  const graft = manifest.at("graft");
  if (!graft.exists) return undefined;
  const features = manifest.at("features");
  if (!features.items().some((feature) => feature.text() === "grafting")) {
    throw graft.error("requires the feature grafting");
  }
  const block = graft.at("block").integer();
  if (block < 0) throw graft.at("block").error("must not be negative");
  return { base: graft.at("base").text(), block };
}

const supportedKinds = new Set(["ethereum", "ethereum/contract"]);
const fileKind = "file/ipfs";

/** @throws BundleError for a source of an unsupported kind */
export function checkKind(source: ManifestNode): void {
  const kind = source.at("kind");
  const name = kind.text();
  if (supportedKinds.has(name)) return;
  if (name === fileKind) throw kind.error(`is ${name}, which is only allowed in templates`);
  throw kind.error(`is ${name}, which is not supported: the kind of a source must be ethereum`);
}

/** @throws BundleError for a template of an unsupported kind */
export function checkTemplateKind(template: ManifestNode, files: FileKinds): void {
  if (!isForFiles(template, files)) checkKind(template);
}

/** The files that a run can provide, besides those on IPFS. */
export interface FileKinds {
  /** Whether Arweave files are supported. */
  readonly arweave?: boolean;
}

/** Whether a template is for files that the run can provide. */
export function isForFiles(template: ManifestNode, { arweave = false }: FileKinds): boolean {
  const kind = template.at("kind").text();
  return kind === fileKind || (arweave && kind === "file/arweave");
}

const unsupportedImports: ReadonlyMap<string, string> = new Map([
  ["ipfs.getBlock", "reads IPFS blocks"],
  ["arweave.transactionData", "reads Arweave transactions"],
]);

const ofIpfs: ReadonlySet<string> = new Set(["ipfs.cat", "ipfs.map"]);

/** @throws BundleError for a mapping that imports something unavailable or undeclared */
export function checkWasmImports(file: ManifestNode, wasm: Uint8Array, features: ReadonlySet<Feature>): void {
  for (const name of importNames(wasm)) {
    const what = unsupportedImports.get(name);
    if (what !== undefined) {
      throw file.error(`${what} (it imports ${name}), which is not supported`);
    }
    if (ofIpfs.has(name) && !features.has("ipfsOnEthereumContracts")) {
      throw file.error(
        `imports ${name}, which requires the feature ipfsOnEthereumContracts, but the manifest does not declare it`,
      );
    }
  }
}
