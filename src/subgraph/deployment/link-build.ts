import { isDeepStrictEqual } from "node:util";
import { dump } from "js-yaml";
import { cidV0 } from "../../web/ipfs/cid.js";
import { type Build, linkedManifestPath, manifestPath } from "../build.js";
import { BundleError } from "../bundle-error.js";
import { linkPath } from "../link-path.js";
import { linksOf, mapLinks } from "../manifest/links.js";
import type { Manifest } from "../manifest/manifest.js";
import { parseManifest } from "../manifest/parse-manifest.js";
import { cidOfLink } from "./cid-of-link.js";

/** A build with its manifest linked to IPFS. */
export interface LinkedBuild {
  /** IPFS hash of the manifest: `Qm…`. */
  readonly deploymentId: string;
  /** The manifest, with the files' hashes in place of their paths. */
  readonly manifest: Uint8Array;
  /** Every file that the manifest links to, sorted by path. */
  readonly files: readonly LinkedFile[];
}

export interface LinkedFile {
  readonly path: string;
  /** IPFS hash: `Qm…`. */
  readonly cid: string;
  readonly bytes: Uint8Array;
}

/**
 * Computes the hashes of a build and links its manifest to them, offline. Prints the manifest byte for byte
 * as `graph deploy` does, so that the deployment id equals graph-cli's for the same files. A build that another program
 * has linked keeps that program's manifest, and so its id, as long as the manifest says the same.
 */
export function linkBuild(build: Build): LinkedBuild {
  const linkedPaths = linksOf(build.manifest).map((link) => linkPath(link, manifestPath));
  const paths = [...new Set(linkedPaths)].sort();
  const files = paths.map((path) => {
    const bytes = build.files.get(path) as Uint8Array;
    return { path, cid: cidV0(bytes), bytes };
  });
  const cids = new Map(files.map(({ path, cid }) => [path, cid]));
  const linked = mapLinks(build.manifest, (link) => ({
    "/": `/ipfs/${cids.get(linkPath(link, manifestPath))}`,
  }));
  const kept = build.files.get(linkedManifestPath);
  const manifest =
    kept && saysTheSame(kept, linked)
      ? kept
      : new TextEncoder().encode(dump(linked, { noRefs: true, sortKeys: true }));
  return { deploymentId: cidV0(manifest), manifest, files };
}

/** Whether an untrusted manifest links to the same files and has the same values. */
function saysTheSame(kept: Uint8Array, linked: Manifest): boolean {
  try {
    const theirs = parseManifest(new TextDecoder().decode(kept), linkedManifestPath).toData();
    return isDeepStrictEqual(
      mapLinks(theirs, (link) => ({ "/": `/ipfs/${cidOfLink(link)}` })),
      linked,
    );
  } catch (error) {
    if (error instanceof BundleError) return false;
    throw error;
  }
}
