import { createHash } from "node:crypto";
import type { Block } from "../../runtime/chain/chain.js";
import { transactionsInTrie } from "../../runtime/chain/proof/transaction-order.js";
import type { ArchiveFiles } from "./archive-files.js";
import type { KeptChain } from "./kept-chains.js";
import { type Segment, weightOf } from "./segments/manifest.js";
import { segmentBlocks } from "./segments/merge-segments.js";
import { WeightedCache } from "./segments/segment-cache.js";
import { readSegment } from "./segments/segments.js";

/** Facts about a block, to check logs and answers against. */
export interface BlockFact {
  readonly hash: string;
  readonly logsBloom: string | undefined;
  readonly receiptsRoot: string;
  /** Number of transactions that the root covers, and a digest of their hashes. */
  readonly transactions: number;
  readonly transactionsDigest: string;
  /** Whether the hash can be recomputed from the header. */
  readonly isProvable: boolean;
  readonly segment: Segment;
}

/** Bytes of files whose facts are cached. */
const cachedBytes = 64 * 1024 * 1024;

/** Looks up blocks of an archive by number, reading a few thousand neighbours at once. */
export class BlockFacts {
  readonly #files: ArchiveFiles;
  readonly #chain: KeptChain;
  readonly #segments: readonly Segment[];
  readonly #cache = new WeightedCache<ReadonlyMap<number, BlockFact>>(cachedBytes);

  /** @param segments readable segments of blocks */
  constructor(files: ArchiveFiles, chain: KeptChain, segments: readonly Segment[]) {
    this.#files = files;
    this.#chain = chain;
    this.#segments = segments;
  }

  /** @returns `undefined` for a missing block */
  async of(number: number): Promise<BlockFact | undefined> {
    const window = Math.floor(number / segmentBlocks);
    const [first, last] = [window * segmentBlocks, (window + 1) * segmentBlocks - 1];
    const near = this.#segments.filter(({ from, to }) => from <= last && to >= first);
    if (near.length === 0) return undefined;
    const read = (): Promise<ReadonlyMap<number, BlockFact>> => this.#read(near, first, last);
    return (await this.#cache.get(`${window}`, weightOf(...near), read)).get(number);
  }

  async #read(
    near: readonly Segment[],
    first: number,
    last: number,
  ): Promise<ReadonlyMap<number, BlockFact>> {
    const facts = new Map<number, BlockFact>();
    for (const segment of near) {
      const { folder, chainId } = this.#chain;
      const content = await readSegment(this.#files, folder, chainId, segment);
      if (content.kind !== "blocks") continue;
      for (const block of content.blocks)
        if (block.number >= first && block.number <= last) facts.set(block.number, factOf(block, segment));
    }
    return facts;
  }
}

/** A digest of a list of hashes. */
export function listDigest(hashes: readonly string[]): string {
  return createHash("sha256").update(hashes.join("")).digest("hex");
}

function factOf(block: Block, segment: Segment): BlockFact {
  const { hash, logsBloom, receiptsRoot, mixHash } = block;
  const hashes = transactionsInTrie(block).map((transaction) => transaction.hash);
  return {
    hash,
    logsBloom,
    receiptsRoot,
    segment,
    transactions: hashes.length,
    transactionsDigest: listDigest(hashes),
    isProvable: mixHash !== undefined,
  };
}
