import { base58 } from "./base58.js";
import {
  codecs,
  defaultLayout,
  type FileLayout,
  multihashPrefix,
  type Root,
  rootOf,
  rootsOf,
} from "./unixfs.js";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** The CID (version 0) of a file that is added to IPFS with default options: `Qm…`, 46 characters. */
export function cidV0(bytes: Uint8Array): string {
  return addedFile(bytes).cid;
}

/** A file in IPFS. */
export interface AddedFile {
  /** Version 0: `Qm…`. */
  readonly cid: string;
  /** Bytes of all its blocks, which is more than the bytes of the file. */
  readonly totalSize: number;
}

/** The facts about a file that is added to IPFS with default options. */
export function addedFile(bytes: Uint8Array): AddedFile {
  const { digest, totalSize } = rootOf(bytes);
  return { cid: textOfV0(digest), totalSize };
}

/** Whether a text has the form of a CID of version 0. */
export function isCidV0(text: string): boolean {
  return /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/.test(text);
}

/** File layouts in use, the usual ones first. */
const layouts: readonly FileLayout[] = [
  defaultLayout,
  { ...defaultLayout, rawLeaves: true },
  { ...defaultLayout, version: 1 },
  { ...defaultLayout, version: 1, rawLeaves: true },
  { chunkSize: 1_048_576, links: 174, version: 1, rawLeaves: true },
  { chunkSize: 1_048_576, links: 1024, version: 1, rawLeaves: true },
];

/**
 * Whether a file has this CID. Knows version 0 (`Qm…`) and version 1 in base32 (`bafy…`, `bafk…`) with
 * SHA-256, and the usual file layouts.
 * @returns `undefined` for a CID of another kind, which cannot be verified
 */
export function hasCid(bytes: Uint8Array, cid: string): boolean | undefined {
  const fits = matcherOf(cid);
  if (!fits) return undefined;
  for (const root of rootsOf(bytes, layouts)) if (fits(root)) return true;
  return false;
}

/** Whether `hasCid` can verify this CID. */
export function isVerifiable(cid: string): boolean {
  return matcherOf(cid) !== undefined;
}

function matcherOf(cid: string): ((root: Root) => boolean) | undefined {
  if (isCidV0(cid)) return ({ digest, isRaw }) => !isRaw && textOfV0(digest) === cid;
  const bytes = /^b[a-z2-7]{58}$/.test(cid) ? base32Bytes(cid.slice(1)) : [];
  const [version, codec, ...multihash] = bytes;
  const isSha256 = multihashPrefix.every((byte, index) => multihash[index] === byte);
  if (version !== 1 || !isSha256 || (codec !== codecs.raw && codec !== codecs.framed)) return undefined;
  const wanted = Buffer.from(multihash.slice(multihashPrefix.length));
  return ({ digest, isRaw }) => isRaw === (codec === codecs.raw) && wanted.equals(digest);
}

function textOfV0(digest: Uint8Array): string {
  return base58(Uint8Array.from([...multihashPrefix, ...digest]));
}

/** Decodes lower-case base32 without padding; left-over bits are dropped. */
function base32Bytes(text: string): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    held = (held * 32 + alphabet.indexOf(character)) % 0x2000;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return bytes;
}
