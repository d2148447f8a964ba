import { Scalar, stringify } from "yaml";
import { cidV0 } from "../../web/ipfs/cid.js";
import { type Build, linkedManifestPath } from "../build.js";
import { BundleError } from "../bundle-error.js";
import { collectBuild } from "../collect-build.js";
import { linksOf, mapLinks } from "../manifest/links.js";
import { parseManifest } from "../manifest/parse-manifest.js";
import { cidOfLink } from "./cid-of-link.js";
import { layOutFiles } from "./lay-out-files.js";
import { linkBuild } from "./link-build.js";

/** Maximum number of links in a manifest, far beyond any real one. */
const mostFiles = 10_000;

/** Number of files to fetch concurrently. */
const atOnce = 8;

/**
 * Turns a deployment's manifest, which links to IPFS, back into a build with its files laid out as by `graph build`.
 * Names become safe paths. `linkBuild` returns the same deployment id: the build carries the given manifest if
 * graphloom would print it differently.
 * @param fetchFile returns a file by its IPFS hash; called once per hash
 * @param layOut assigns the paths
 * @throws BundleError for an invalid manifest, or one whose links are not IPFS hashes; and errors of `fetchFile`
 */
export async function unlinkBuild(
  manifest: Uint8Array,
  fetchFile: (cid: string) => Promise<Uint8Array>,
  layOut: typeof layOutFiles = layOutFiles,
): Promise<Build> {
  const name = "the manifest on IPFS";
  const linked = parseManifest(new TextDecoder().decode(manifest), name).toData();
  const links = linksOf(linked);
  if (links.length > mostFiles) {
    throw new BundleError(
      `The manifest on IPFS refers to ${links.length} files, but may refer to at most ${mostFiles}`,
    );
  }
  const cids = new Map(links.map((link) => [link.place, cidOfLink(link)]));
  const paths = layOut(links.map(({ place, role }) => ({ place, role, cid: cids.get(place) as string })));
  const contents = new Map<string, Uint8Array>();
  const wanted = [...new Set(cids.values())];
  for (let at = 0; at < wanted.length; at += atOnce) {
    const some = wanted.slice(at, at + atOnce);
    const fetched = await Promise.all(some.map(async (cid) => [cid, await fetchFile(cid)] as const));
    for (const [cid, bytes] of fetched) contents.set(cid, bytes);
  }
  const unlinked = mapLinks(linked, ({ place }) => paths.get(place) as string);
  const text = stringify(unlinked, {
    defaultKeyType: Scalar.PLAIN,
    lineWidth: 90,
    aliasDuplicateObjects: false,
  });
  const files = new Map<string, string | Uint8Array>([["subgraph.yaml", text]]);
  for (const [place, path] of paths) files.set(path, contents.get(cids.get(place) as string) as Uint8Array);
  const build = collectBuild({ manifest: "subgraph.yaml", files });
  if (linkBuild(build).deploymentId === cidV0(manifest)) return build;
  return { ...build, files: new Map([...build.files, [linkedManifestPath, manifest]]) };
}
