import type { ManifestNode } from "../manifest/manifest-node.js";
import type { FileMapping } from "./built-subgraph.js";
import { isAtLeast } from "./versions.js";

/** Reads the mapping of a template for files. @throws BundleError */
export function readFileMapping(template: ManifestNode, specVersion: string): FileMapping {
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
