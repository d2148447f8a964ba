import type { ManifestNode } from "../manifest/manifest-node.js";
import type { BuiltSubgraph } from "./built-subgraph.js";

/** What a manifest asks to be grafted onto. @throws BundleError for a graft that graph-node refuses */
export function readGraft(manifest: ManifestNode): BuiltSubgraph["graft"] {
  const graft = manifest.at("graft");
  if (!graft.exists) return undefined;
  const features = manifest.at("features");
  if (!features.items().some((feature) => feature.text() === "grafting")) {
    throw graft.error("needs grafting among the features");
  }
  const block = graft.at("block").integer();
  if (block < 0) throw graft.at("block").error("must not be negative");
  return { base: graft.at("base").text(), block };
}

const supportedKinds = new Set(["ethereum", "ethereum/contract"]);

/** @throws BundleError for a source whose triggers are not those of a chain */
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
