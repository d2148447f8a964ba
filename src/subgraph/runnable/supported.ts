import type { ManifestNode } from "../manifest/manifest-node.js";

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
