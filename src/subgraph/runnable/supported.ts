import type { ManifestNode } from "../manifest/manifest-node.js";

/** @throws BundleError for a manifest with a graft */
export function checkGraft(manifest: ManifestNode): void {
  const graft = manifest.at("graft");
  if (graft.exists) throw graft.error("asks for grafting, which graphloom run does not support");
}

const supportedKinds = new Set(["ethereum", "ethereum/contract"]);

/** @throws BundleError for a source whose kind is not supported */
export function checkKind(source: ManifestNode): void {
  const kind = source.at("kind");
  const name = kind.text();
  if (supportedKinds.has(name)) return;
  throw kind.error(`is ${name}, which graphloom run does not support: it runs sources of the kind ethereum`);
}

/** @throws BundleError for a mapping with block handlers */
export function checkBlockHandlers(mapping: ManifestNode): void {
  const blocks = mapping.at("blockHandlers");
  if (blocks.items().length > 0)
    throw blocks.error("are there: graphloom run does not support block handlers yet");
}
