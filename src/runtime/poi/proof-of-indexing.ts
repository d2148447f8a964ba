import { createHash } from "node:crypto";
import { keccak256 } from "../../base/keccak.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { isAtLeast } from "../../subgraph/runnable/versions.js";
import type { PoiEvent, PoiVariant } from "./events.js";
import { FastHasher } from "./fast-hasher.js";
import { LegacyHasher } from "./legacy-hasher.js";

/** Bytes of a digest of the fast hash. Digests of the other one are longer, or the single byte 1. */
const fastBytes = 32;

/** How the proofs of a subgraph are hashed. */
export function poiVariant({ specVersion }: Pick<BuiltSubgraph, "specVersion">): PoiVariant {
  return isAtLeast(specVersion, "0.0.6") ? "fast" : "legacy";
}

/** The causality region of what happens on a chain. */
export function poiRegion({ network }: Pick<BuiltSubgraph, "network">): string {
  return `ethereum/${network}`;
}

/** Hashes what handlers do, block by block. One for each run. */
export class ProofStream {
  readonly #hasher: FastHasher | LegacyHasher;
  readonly #variant: PoiVariant;

  constructor(variant: PoiVariant) {
    this.#variant = variant;
    this.#hasher = variant === "fast" ? new FastHasher() : new LegacyHasher();
  }

  /**
   * The digest of all events up to a block.
   * @param events of the block, in their order
   * @param previous the digest before the block; `undefined` if there is none
   */
  digestOf(block: number, events: readonly PoiEvent[], previous?: Uint8Array): Uint8Array {
    this.#hasher.begin();
    const number = BigInt(block);
    for (const [index, event] of events.entries()) this.#hasher.add(event, number, index);
    this.#hasher.addCount(number, events.length);
    if (previous) this.#hasher.addDigest(this.#variant === "fast" ? asFast(previous) : previous);
    return this.#hasher.digest();
  }
}

/** A digest of the other hash counts as the fast digest that its SHA-256 is. */
function asFast(digest: Uint8Array): Uint8Array {
  return digest.length === fastBytes ? digest : createHash("sha256").update(digest).digest();
}

/** What a proof is about. */
export interface ProofSubject {
  readonly variant: PoiVariant;
  readonly deployment: string;
  readonly block: number;
  /** Any bytes: the hash is not compared with the chain. */
  readonly blockHash: Uint8Array;
  /** 20 bytes; a proof without an indexer differs from one for the zero address. */
  readonly indexer?: Uint8Array | undefined;
  /** The digest at the block by causality region, such as `ethereum/mainnet`; empty before the first handler ran. */
  readonly regions: ReadonlyMap<string, Uint8Array>;
}

/**
 * The proof of indexing of a deployment at a block.
 * @returns 0x and 64 hex digits
 */
export function proofOfIndexing(subject: ProofSubject): string {
  const { variant, deployment, blockHash, indexer, regions } = subject;
  const isFast = variant === "fast";
  const parts: [path: readonly number[], bytes: Uint8Array][] = [[[1, 0], Buffer.from(deployment)]];
  if (blockHash.length > 0) parts.push([[2], blockHash]);
  if (indexer) {
    const [flag, value] = isFast ? [[3], [3, 0]] : [[3, 0], [3]];
    parts.push([value, indexer], [flag, new Uint8Array()]);
  }
  for (const [name, digest] of regions) parts.push(regionPart(name, digest, subject.block));
  const hasher = isFast ? new FastHasher() : new LegacyHasher();
  hasher.begin();
  for (const [path, bytes] of parts) hasher.addBytes(path, bytes);
  if (!isFast) hasher.addInteger([0, 2], BigInt(regions.size));
  const result = hasher.finish();
  return isFast ? keccak256(result) : `0x${Buffer.from(result).toString("hex")}`;
}

/** A region as a member of the proof's map: its name, the number of blocks, and its events. */
function regionPart(
  name: string,
  digest: Uint8Array,
  block: number,
): [path: readonly number[], bytes: Uint8Array] {
  const isFast = digest.length === fastBytes;
  const hasher = isFast ? new FastHasher() : new LegacyHasher();
  hasher.begin();
  hasher.addDigest(digest);
  hasher.addInteger([1, 0], BigInt(block + 1));
  hasher.addBytes([0], Buffer.from(name));
  return isFast ? [[0], hasher.digest()] : [[0, 1], hasher.finish()];
}
