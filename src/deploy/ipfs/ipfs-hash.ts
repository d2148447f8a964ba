/**
 * Parses an IPFS hash as users write it: `Qm…`, `/ipfs/Qm…` or `ipfs://Qm…`.
 * @returns `undefined` for any other string
 */
export function parseIpfsHash(text: string): string | undefined {
  return /^(?:ipfs:\/\/|\/ipfs\/)?(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,120})\/?$/.exec(text.trim())?.[1];
}
