import type { Database } from "../../store/database/database.js";
import { type Build, networkOf } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { unlinkBuild } from "../../subgraph/deployment/unlink-build.js";
import { parseManifest } from "../../subgraph/manifest/parse-manifest.js";
import { bundleLimits } from "../../subgraph/unzip-bundle.js";
import { isCidV0 } from "../../web/ipfs/cid.js";
import { type Owner, readFile } from "./door-files.js";
import { RpcError } from "./json-rpc.js";
import { faultOfManifest, resolving, validating } from "./judge-manifest.js";

/** The build of a deployment, and the hashes of all its files. */
export interface UploadedBuild {
  readonly build: Build;
  readonly network: string;
  readonly cids: readonly string[];
}

/**
 * Assembles a build from uploads. graph-node waits many minutes for missing files; this fails at once, since they
 * cannot arrive later.
 * @param hash the hash of the manifest
 * @param project the project of the future deployment
 * @param client the client that may have uploaded the files without a key
 * @throws RpcError if a file is missing or has a mistake; DatabaseError
 */
export async function readUploadedBuild(
  database: Database,
  hash: string,
  { project, client }: { readonly project: string; readonly client: Owner },
): Promise<UploadedBuild> {
  if (!isCidV0(hash)) {
    const why = "invalid CID: Failed to parse multihash: invalid CID: Failed to parse multihash";
    const shown = hash === "" ? "ipfs" : hash;
    throw refusal(resolving(`resolve error: '${shown}' is not a valid IPFS content path: ${why}`));
  }
  const owners = [{ project }, client];
  const manifest = await readFile(database, owners, hash);
  if (!manifest) throw missing(hash);
  const cids = new Set([hash]);
  let size = manifest.length;
  const fetchFile = async (cid: string): Promise<Uint8Array> => {
    const bytes = await readFile(database, owners, cid, { withClaimed: true });
    if (!bytes) throw missing(cid);
    cids.add(cid);
    size += bytes.length;
    if (size > bundleLimits.extracted) {
      const most = bundleLimits.extracted.toLocaleString("en");
      throw refusal(resolving(`resolve error: the files have more than ${most} bytes together`));
    }
    return bytes;
  };
  try {
    const fault = faultOfManifest(parsedManifest(manifest), hash);
    if (fault !== undefined) throw refusal(fault);
    const build = await unlinkBuild(manifest, fetchFile);
    if (linkBuild(build).deploymentId !== hash) {
      throw refusal(resolving("parse error: the manifest cannot be read without changing its meaning"));
    }
    return { build, network: networkFor(build), cids: [...cids] };
  } catch (error) {
    throw error instanceof BundleError ? refusal(resolving(`resolve error: ${error.message}`)) : error;
  }
}

/** @throws BundleError for text that is not YAML */
function parsedManifest(manifest: Uint8Array): unknown {
  const document = parseManifest(new TextDecoder().decode(manifest), "the manifest").copy();
  try {
    return document.toJS();
  } catch (error) {
    // Aliases without an anchor, or too many.
    throw error instanceof ReferenceError ? new BundleError(error.message) : error;
  }
}

function networkFor(build: Build): string {
  try {
    return networkOf(build);
  } catch (error) {
    throw error instanceof BundleError ? refusal(validating(error.message)) : error;
  }
}

function missing(cid: string): RpcError {
  return refusal(
    resolving(`resolve error: ${cid} was not found: upload it to the IPFS port of this server first`),
  );
}

function refusal(message: string): RpcError {
  return new RpcError(0, message);
}
