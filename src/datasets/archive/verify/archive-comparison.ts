import type { Block, BlockPointer } from "../../../runtime/chain/chain.js";
import type { ChainArchive } from "../chain-archive.js";
import { type FinalChain, longestGap } from "../final-chain.js";

/** How often to ask a node for a block that contradicts the archive: in a pool, a different node may answer next. */
const timesAsked = 3;
/** Maximum number of returned blocks to remember. */
const mostGiven = 20_000;

/** What an archive's blocks are compared with. */
export interface ComparisonSources {
  readonly archive: Pick<ChainArchive, "refuseOthers">;
  readonly finals: Pick<FinalChain, "hashOf">;
  /** The archive's final block with a number. */
  kept(number: number): Promise<Block | undefined>;
  /** The node's blocks at some numbers; empty if it does not answer. */
  ask(numbers: readonly number[]): Promise<readonly (BlockPointer | undefined)[]>;
}

/** Finds blocks of an archive that contradict each other or the final chain, or that a reader refused. */
export class ArchiveComparison {
  readonly #sources: ComparisonSources;
  /** Blocks whose data came from the archive, and blocks to compare with the node's first. */
  readonly #given = new Map<number, string>();
  readonly #suspected = new Map<number, string>();

  constructor(sources: ComparisonSources) {
    this.#sources = sources;
  }

  /** The reader may have refused returned data: from now on, compares it with the node's. */
  suspectGiven(): void {
    for (const [number, hash] of this.#given) this.#suspected.set(number, hash);
    this.#given.clear();
  }

  /**
   * Compares blocks of the archive, or the blocks of its logs, with each other. Compares blocks that a reader may
   * have refused with the node's. Sets data aside that contradicts the final chain.
   * @returns `wrong` if something was set aside; `unknown` if it is unclear which of two blocks is right
   */
  async compare(blocks: readonly (BlockPointer & Partial<Block>)[]): Promise<"right" | "wrong" | "unknown"> {
    const hashes = new Map<number, string>();
    const doubtful = new Set<number>();
    for (const { number, hash, parentHash } of blocks) {
      if ((hashes.get(number) ?? hash) !== hash || this.#suspected.get(number) === hash) doubtful.add(number);
      hashes.set(number, hash);
      if ((hashes.get(number - 1) ?? parentHash) !== parentHash && parentHash !== undefined)
        doubtful.add(number - 1).add(number);
    }
    for (const [number, hash] of hashes) {
      const known = await this.#sources.kept(number);
      if (known && known.hash !== hash) doubtful.add(number);
    }
    let outcome: "right" | "wrong" | "unknown" = "right";
    for (const number of doubtful) {
      const hash = await this.#finalHash(number);
      if (hash === undefined) {
        if (this.#suspected.get(number) === undefined) return "unknown";
        continue;
      }
      this.#suspected.delete(number);
      if (await this.#sources.archive.refuseOthers({ number, hash })) outcome = "wrong";
    }
    if (outcome === "right") {
      if (this.#given.size >= mostGiven) this.#given.clear();
      for (const [number, hash] of hashes) this.#given.set(number, hash);
    }
    return outcome;
  }

  /** The hash of a final block, by links, or by the node if its answers agree; `undefined` if neither is known. */
  async #finalHash(number: number): Promise<string | undefined> {
    const proved = await this.#sources.finals.hashOf(number);
    if (proved !== undefined) return proved;
    const said = new Set<string>();
    for (let attempt = 1; attempt <= timesAsked; attempt++) {
      const [block] = await this.#sources.ask([number]);
      if (!block) return undefined;
      said.add(block.hash);
    }
    return said.size === 1 ? [...said][0] : undefined;
  }

  /** `null` if the chain has no block with a number, because the next block follows the previous one. */
  async gapAt(number: number): Promise<null | undefined> {
    const [before, after] = await Promise.all([this.#nearest(number, -1), this.#nearest(number, 1)]);
    return before && after?.parentHash === before.hash ? null : undefined;
  }

  async #nearest(number: number, step: 1 | -1): Promise<Block | undefined> {
    for (let distance = 1; distance <= longestGap; distance++) {
      const block = await this.#sources.kept(number + step * distance);
      if (block) return block;
    }
    return undefined;
  }
}
