import { present } from "../../../base/invariant.js";
import type { Sql } from "../../../store/database/database.js";
import { manifestPath } from "../../../subgraph/build.js";
import { collectBuild } from "../../../subgraph/collect-build.js";
import { configPlacesPath } from "../../../subgraph/config-places.js";
import { layOutFiles, type RemoteFile } from "../../../subgraph/deployment/lay-out-files.js";
import { linkBuild } from "../../../subgraph/deployment/link-build.js";
import { unlinkBuild } from "../../../subgraph/deployment/unlink-build.js";
import { mapFactsPath } from "../../../subgraph/map-facts.js";
import { bundleLimits, unzipBundle } from "../../../subgraph/unzip-bundle.js";
import { zipEntries } from "../../../subgraph/zip-entries.js";
import { type PackedFile, packFile, zipPacked } from "../../../subgraph/zip-packed.js";
import { Problem } from "../../problem.js";
import { readBundle } from "../builds.js";
import { readCarried, type SubgraphVersion } from "../versions.js";

/**
 * The zip of a version's build, for its project. Builds are kept once for all projects that deployed them. So the zip
 * contains what the deployment id identifies, and the version's own files, but no comments in the manifest or file
 * names that another project chose.
 * @throws Problem `subgraph-not-found` if the version has been deleted meanwhile; DatabaseError
 */
export async function packBuild(sql: Sql, entry: SubgraphVersion): Promise<Buffer> {
  const bundle = await readBundle(sql, entry.deployment);
  if (!bundle) throw new Problem("subgraph-not-found", `"${entry.name}/${entry.version}" has been deleted.`);
  const stored = collectBuild({ manifest: manifestPath, files: await unzipBundle(bundle) });
  const linked = linkBuild(stored);
  const contents = new Map(linked.files.map(({ cid, bytes }) => [cid, bytes]));
  const fetchFile = async (cid: string): Promise<Uint8Array> => present(contents.get(cid), "a linked file");
  const { files } = await unlinkBuild(linked.manifest, fetchFile, layOutOnce);
  const { places, map } = await readCarried(sql, entry);
  const all = new Map(files);
  if (places) all.set(configPlacesPath, places);
  if (map) all.set(mapFactsPath, map);
  // Packed files stay packed: they are by far the larger ones.
  const entries = new Map(zipEntries(bundle, bundleLimits.files).map((one) => [one.path, one]));
  const packed = new Map(linked.files.map(({ path, bytes }) => [bytes, entries.get(path)]));
  return zipPacked(
    new Map<string, PackedFile>(
      [...all].map(([path, bytes]) => [path, packed.get(bytes) ?? packFile(bytes)]),
    ),
  );
}

/** Lays files out so that sources share those with the same content, and the zip has each of them once. */
function layOutOnce(files: readonly RemoteFile[]): ReadonlyMap<string, string> {
  const paths = layOutFiles(files);
  const first = new Map<string, string>();
  return new Map(
    files.map(({ place, role, cid }) => {
      const content = `${role.kind} ${cid}`;
      const path = first.get(content) ?? present(paths.get(place), "the path of a file");
      first.set(content, path);
      return [place, path];
    }),
  );
}
