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
