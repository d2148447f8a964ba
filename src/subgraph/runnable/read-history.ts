import type { ManifestNode } from "../manifest/manifest-node.js";
import { isAtLeast } from "./versions.js";

/** Minimum number of blocks to keep, as in graph-node: a reorganisation can revert this many. */
const leastBlocks = 250;
/** The number of blocks that graph-node keeps with `prune: auto`. */
const automatic = 500;

/**
 * How many blocks before the chain head queries can reach, according to `indexerHints`; `undefined` if all blocks are
 * kept.
 * @throws BundleError for an invalid hint
 */
export function readHistory(manifest: ManifestNode, specVersion: string): number | undefined {
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
