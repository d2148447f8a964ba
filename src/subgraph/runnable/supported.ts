import type { ManifestNode } from "../manifest/manifest-node.js";
import { importNames } from "./import-names.js";

/** @throws BundleError for a manifest that asks for grafting */
export function checkGraft(manifest: ManifestNode): void {
  const graft = manifest.at("graft");
  if (graft.exists) throw graft.error("asks for grafting, which graphloom run does not support");
}

const supportedKinds = new Set(["ethereum", "ethereum/contract"]);

/** @throws BundleError for a source whose triggers are not those of a chain */
export function checkKind(source: ManifestNode): void {
  const kind = source.at("kind");
  const name = kind.text();
  if (supportedKinds.has(name)) return;
  throw kind.error(`is ${name}, which graphloom run does not support: it runs sources of the kind ethereum`);
}

const unsupportedImports: ReadonlyMap<string, string> = new Map([
  ["ipfs.cat", "reads files of IPFS"],
  ["ipfs.getBlock", "reads blocks of IPFS"],
  ["ipfs.map", "reads files of IPFS"],
  ["ens.nameByHash", "looks up names of ENS"],
  ["arweave.transactionData", "reads transactions of Arweave"],
]);

/** @throws BundleError for a mapping whose code asks for what is not of the chain */
export function checkImports(file: ManifestNode, wasm: Uint8Array): void {
  for (const name of importNames(wasm)) {
    const what = unsupportedImports.get(name);
    if (what !== undefined) {
      throw file.error(`${what} (it imports ${name}), which graphloom run does not support`);
    }
  }
}
