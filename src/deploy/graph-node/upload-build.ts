import type { LinkedBuild } from "../../subgraph/deployment/link-build.js";
import type { IpfsClient } from "../ipfs/ipfs-client.js";
import { checkFileSize } from "../ipfs/largest-file.js";
import type { DeployProgress } from "../target.js";

/** Adds and pins all files on IPFS, the manifest last. */
export async function uploadBuild(
  { deploymentId, manifest, files }: LinkedBuild,
  ipfs: IpfsClient,
  onProgress: (progress: DeployProgress) => void,
): Promise<void> {
  const all = [...files, { path: "subgraph.yaml", cid: deploymentId, bytes: manifest }];
  for (const { path, bytes } of all) checkFileSize(path, bytes.length);
  // Send a file once, even if it is linked several times.
  const wanted = [...new Map(all.map((file) => [file.cid, file])).values()];
  const total = wanted.reduce((sum, { bytes }) => sum + bytes.length, 0);
  let done = 0;
  onProgress({ step: "uploading", done, total });
  for (const { path, bytes } of wanted) {
    await ipfs.addFile(path, bytes);
    done += bytes.length;
    onProgress({ step: "uploading", done, total });
  }
  for (const { cid } of wanted) await ipfs.verifyPinned(cid);
}
