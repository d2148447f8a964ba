import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import type { Build } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { unzipBundle } from "../../subgraph/unzip-bundle.js";
import { isBuilt } from "./find-named.js";

/**
 * The builds in a zip: one at its root or in a folder, or one for each chain.
 * @param name for messages
 * @throws BundleError
 */
export async function buildsInZip(zip: Uint8Array, name: string): Promise<readonly Build[]> {
  const shown = quotePath(visible(name));
  const files = await unzipBundle(zip);
  const all = [...files.keys()].filter((one) => /(?:^|\/)subgraph\.yaml$/.test(one));
  const root = all.includes("subgraph.yaml") ? ["subgraph.yaml"] : all;
  const manifests = root.filter((one) => isBuilt(new TextDecoder().decode(files.get(one))));
  if (manifests.length > 0) return manifests.sort().map((manifest) => collectBuild({ manifest, files }));
  throw new BundleError(
    root.length === 0
      ? `${shown} is a zip without a subgraph.yaml. Zip the folder of a build.`
      : `${shown} is a zip of a subgraph that is not built. Unpack it, and name its folder.`,
  );
}
