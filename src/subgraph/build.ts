import { quoteForeign } from "../base/text/quote-foreign.js";
import { BundleError } from "./bundle-error.js";
import type { Manifest } from "./manifest/manifest.js";
import type { ParsedManifest } from "./manifest/parse-manifest.js";

/** A built subgraph of one chain, ready to be deployed. */
export interface Build {
  /** The parsed manifest, immutable. */
  readonly manifest: Manifest;
  /** The manifest, with the location of each value. */
  readonly parsed: ParsedManifest;
  /**
   * `subgraph.yaml` and every file it links to, by path relative to it; if known, also the file that traces the code
   * back to a configuration (`config-places.ts`), and the manifest as its deployer linked it.
   */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Path of the manifest within a build. */
export const manifestPath = "subgraph.yaml";

/** Path within a build of the linked manifest that its deployer printed, if graphloom would print it differently. */
export const linkedManifestPath = "subgraph.linked.yaml";

/**
 * The graph-node network of a build.
 * @throws BundleError if no source names a network or if sources name different ones
 */
export function networkOf({ manifest }: Build): string {
  const sources = [...manifest.dataSources, ...(manifest.templates ?? [])];
  const networks = [
    ...new Set(sources.flatMap(({ network }) => (typeof network === "string" ? [network] : []))),
  ];
  const [network] = networks;
  if (network === undefined) throw new BundleError('The data sources in the manifest have no "network"');
  if (networks.length > 1) {
    const names = networks.map(quoteForeign).join(" and ");
    throw new BundleError(
      `The manifest has sources on ${names}; all sources of a subgraph must be on one network`,
    );
  }
  return network;
}
