const pattern = /^(?:ipfs:\/\/|\/?ipfs\/)?(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,120})((?:\/[^/]+)*)\/?$/;
const ofGateway = /^https?:\/\/[^/?#]+\/ipfs\/([^?#]+)/;

/**
 * The path of a file, `Qm…/name`; `undefined` when the address is not that of an IPFS file.
 * @param address `Qm…`, `/ipfs/Qm…/name`, `ipfs://Qm…`, or a gateway URL `https://…/ipfs/Qm…`
 */
export function filePath(address: string): string | undefined {
  const [, hash, rest = ""] = pattern.exec(ofGateway.exec(address)?.[1] ?? address) ?? [];
  const names = rest.split("/").slice(1);
  // These would lead outside the file.
  if (hash === undefined || names.some((name) => name === "." || name === "..")) return undefined;
  return rest.isWellFormed() ? `${hash}${rest}` : undefined;
}

const ofArweave = "ar://";
const ofBlock = "block://";

/** The path of a file on Arweave, which differs from all paths of IPFS. */
export function arweavePath(id: string): string {
  return `${ofArweave}${id}`;
}

/** The id in the path of a file on Arweave; `undefined` for a path of IPFS. */
export function arweaveId(path: string): string | undefined {
  return path.startsWith(ofArweave) ? path.slice(ofArweave.length) : undefined;
}

/** The path of a block of IPFS, which differs from that of the file with the same hash. */
export function blockPath(path: string): string {
  return `${ofBlock}${path}`;
}

/** The path of a file of IPFS, and whether its block is wanted; `undefined` when it is not that of an IPFS file. */
export function ipfsPath(path: string): { readonly file: string; readonly isBlock: boolean } | undefined {
  const isBlock = path.startsWith(ofBlock);
  const file = filePath(isBlock ? path.slice(ofBlock.length) : path);
  return file === undefined ? undefined : { file, isBlock };
}
