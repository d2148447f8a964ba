import { foreignText } from "../../base/text/foreign-text.js";
import type { World } from "../../base/world.js";
import type { Build } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { unlinkBuild } from "../../subgraph/deployment/unlink-build.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, type ServiceAddress, serviceAddress } from "../../web/http/service-address.js";
import { cidV0, hasCid, isVerifiable } from "../../web/ipfs/cid.js";
import { IpfsError } from "./ipfs-error.js";
import { parseIpfsHash } from "./ipfs-hash.js";
import { largestFile } from "./largest-file.js";

export interface DownloadProgress {
  readonly files: number;
  readonly bytes: number;
}

/** Limit for all files together, in bytes: the largest build that can be deployed. */
const mostOfAll = 100_000_000;

/** Milliseconds that all files together may take. */
const PATIENCE = 1_800_000;

/**
 * Downloads a deployed subgraph by the hash of its manifest. Every file is checked against its hash, so the gateway
 * does not need to be trusted.
 * @param hash `Qm…`, `/ipfs/Qm…` or `ipfs://Qm…`
 * @param gateway base URL of an IPFS gateway; may end with `/ipfs`
 * @param onProgress called after each file
 * @param token sent to the gateway, if it requires one
 * @throws IpfsError for an invalid hash, a missing file, or content that does not match its hash; BundleError for
 *   an invalid deployment; HttpError if the gateway is unreachable
 */
export async function downloadBuild(
  hash: string,
  gateway: string,
  world: World,
  onProgress: (progress: DownloadProgress) => void = () => {},
  options: SendOptions = {},
  token?: string,
): Promise<Build> {
  const address = serviceAddress(gateway, "/ipfs");
  if (!address) throw new IpfsError(`The address of the IPFS gateway ${notAnAddress}`);
  const root = parseIpfsHash(hash);
  if (root === undefined) {
    throw new IpfsError(
      `"${foreignText(hash)}" is not an IPFS hash; an IPFS hash is "Qm" and 44 more characters, alone or after "/ipfs/" or "ipfs://"`,
    );
  }
  let files = 0;
  let bytes = 0;
  const since = world.now();
  const fetchFile = async (cid: string): Promise<Uint8Array> => {
    if (world.now() - since > PATIENCE) {
      throw new IpfsError(
        `The IPFS gateway ${address.origin} returned only ${files} files of ${root} in ${PATIENCE / 60_000} minutes; use a different gateway`,
      );
    }
    const content = await fetchVerified(cid, address, world, { ...options, token });
    files += 1;
    bytes += content.length;
    if (bytes > mostOfAll) {
      throw new IpfsError(
        `The files of ${root} exceed ${mostOfAll / 1e6} MB in total, which is the limit for a deployment`,
      );
    }
    onProgress({ files, bytes });
    return content;
  };
  const manifest = await fetchFile(root);
  try {
    return await unlinkBuild(manifest, fetchFile);
  } catch (error) {
    if (error instanceof BundleError) throw new BundleError(`${root} cannot be deployed: ${error.message}`);
    throw error;
  }
}

async function fetchVerified(
  cid: string,
  { origin, at }: ServiceAddress,
  world: World,
  { token, ...options }: SendOptions & { readonly token: string | undefined },
): Promise<Uint8Array> {
  if (!isVerifiable(cid)) {
    throw new IpfsError(
      `"${foreignText(cid)}" is an IPFS hash of a kind that cannot be verified; only hashes that start with "Qm" and SHA-256 hashes of files can`,
    );
  }
  const path = `/ipfs/${cid}`;
  const request = {
    method: "GET",
    url: at(path),
    shown: `${origin}${path}`,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    retry: true,
  } as const;
  const { status, text, bytes } = await send(request, world, { ...options, maxAnswer: largestFile });
  if (status !== 200) {
    const said = foreignText(text.slice(0, 1000));
    const advice =
      status === 401 || status === 403
        ? "it requires a token: log in to it, or set GRAPHLOOM_FROM_TOKEN"
        : "check the hash, or use a different gateway";
    throw new IpfsError(
      `The IPFS gateway ${origin} did not return ${cid} (status ${status})${said === "" ? "" : `: ${said}`}; ${advice}`,
    );
  }
  if (hasCid(bytes, cid) === true) return bytes;
  throw new IpfsError(
    `The IPFS gateway ${origin} returned the wrong content for ${cid}: its hash is ${cidV0(bytes)}; use a different gateway`,
  );
}
