import type { ManifestNode } from "../manifest/manifest-node.js";
import { isAtLeast } from "./versions.js";

/** Fewer blocks than a reorganisation can take back cannot be kept; so many are what graph-node keeps at least. */
const leastBlocks = 250;
/** What graph-node keeps by default of what is to be pruned. */
const automatic = 500;

/**
 * How many blocks before the head entities can be asked for, as the manifest hints; nothing when all are kept.
 * @throws BundleError for a hint that is none
 */
export function readHistory(manifest: ManifestNode, specVersion: string): number | undefined {
  const prune = manifest.at("indexerHints").at("prune");
  if (!prune.exists) return undefined;
  if (!isAtLeast(specVersion, "1.0.0")) {
    throw prune.error(`needs specVersion 1.0.0, and the manifest has ${specVersion}`);
  }
  const text = prune.text();
  if (text === "never") return undefined;
  if (text === "auto") return automatic;
  const blocks = Number(text);
  if (!/^\d+$/.test(text) || blocks > 2_147_483_647) {
    throw prune.error(`is ${JSON.stringify(text)}, and can be auto, never or a number of blocks`);
  }
  return Math.max(blocks, leastBlocks);
}
