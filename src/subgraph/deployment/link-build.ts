import { dump } from "js-yaml";
import { cidV0 } from "../../web/ipfs/cid.js";
import { type Build, manifestPath } from "../build.js";
import { linkPath } from "../link-path.js";
import { mapLinks } from "../manifest/links.js";

/** A build as it is put on IPFS. */
export interface LinkedBuild {
  /** IPFS hash of the manifest: `Qm…`. */
  readonly deploymentId: string;
  /** The manifest with links to the files' hashes in the place of paths. */
  readonly manifest: Uint8Array;
  /** Everything but the manifest, sorted by path. */
  readonly files: readonly LinkedFile[];
}

export interface LinkedFile {
  readonly path: string;
  /** IPFS hash: `Qm…`. */
  readonly cid: string;
  readonly bytes: Uint8Array;
}

/**
 * Links a build by its hashes, without a network. The manifest is printed to the byte as graph-cli does it in
 * `graph deploy`, so that the deployment id is the one that graph-cli gets for the same files.
 */
export function linkBuild(build: Build): LinkedBuild {
  const paths = [...build.files.keys()].filter((path) => path !== manifestPath).sort();
  const files = paths.map((path) => {
    const bytes = build.files.get(path) as Uint8Array;
    return { path, cid: cidV0(bytes), bytes };
  });
  const cids = new Map(files.map(({ path, cid }) => [path, cid]));
  const linked = mapLinks(build.manifest, (link) => ({
    "/": `/ipfs/${cids.get(linkPath(link, manifestPath))}`,
  }));
  const manifest = new TextEncoder().encode(dump(linked, { noRefs: true, sortKeys: true }));
  return { deploymentId: cidV0(manifest), manifest, files };
}
