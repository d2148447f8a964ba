import type { Log } from "../../runtime/chain/chain.js";
import { isStateSync } from "../../runtime/chain/proof/receipts-root.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { ArchiveFiles } from "./archive-files.js";
import type { KeptChain } from "./kept-chains.js";
import { keptReceipts } from "./kept-receipts.js";
import { type Segment, segmentName } from "./segments/manifest.js";
import { WeightedCache } from "./segments/segment-cache.js";
import { readSegment } from "./segments/segments.js";

/** All logs of a block, taken from its receipts. */
export interface BlockLogs {
  readonly number: number;
  readonly hash: string;
  readonly logs: readonly Log[];
  /** Logs that nodes may omit from lists of logs. */
  readonly optional: ReadonlySet<Log>;
  /** The segment with the receipts. */
  readonly segment: Segment;
}

/** Number of cached segments: neighbouring log segments use the same ones. */
const cachedSegments = 4;

/** Looks up the logs of blocks whose receipts are in an archive. */
export class ReceiptLogs {
  readonly #files: ArchiveFiles;
  readonly #chain: KeptChain;
  readonly #segments: readonly Segment[];
  readonly #cache = new WeightedCache<readonly BlockLogs[]>(cachedSegments);

  /** @param segments readable segments of answers that have all receipts of some blocks */
  constructor(files: ArchiveFiles, chain: KeptChain, segments: readonly Segment[]) {
    this.#files = files;
    this.#chain = chain;
    this.#segments = segments;
  }

  /** The blocks of a range whose receipts are in the archive, possibly repeated. */
  async *within({ from, to }: BlockRange): AsyncGenerator<BlockLogs> {
    for (const segment of this.#segments.filter((one) => one.from <= to && one.to >= from)) {
      const blocks = await this.#cache.get(segmentName(segment), 1, () => this.#read(segment));
      for (const block of blocks) if (block.number >= from && block.number <= to) yield block;
    }
  }

  async #read(segment: Segment): Promise<readonly BlockLogs[]> {
    const { folder, chainId } = this.#chain;
    const content = await readSegment(this.#files, folder, chainId, segment);
    if (content.kind !== "answers") return [];
    // The verification of the answers has already reported malformed ones.
    return keptReceipts(content.answers, () => undefined).flatMap(({ number, hash, whole }) => {
      if (!whole) return [];
      const last = whole.at(-1);
      const isOptional = last && isStateSync(last, { number, hash });
      const optional = new Set(isOptional ? last.logs : []);
      return [{ number, hash, logs: whole.flatMap(({ logs }) => logs), optional, segment }];
    });
  }
}
