import type { Block, BlockPointer } from "../../../runtime/chain/chain.js";
import type { ChainArchive } from "../chain-archive.js";
import { type FinalChain, longestGap } from "../final-chain.js";

/** How often to ask a node for a block that contradicts the archive: in a pool, another node may answer. */
const timesAsked = 3;
/** Most blocks that are remembered as returned. */
const mostGiven = 20_000;

/** The sources that an archive's blocks are compared with. */
export interface ComparisonSources {
  readonly archive: Pick<ChainArchive, "refuseOthers">;
  readonly finals: Pick<FinalChain, "hashOf">;
  /** The final block that the archive has of a number. */
  kept(number: number): Promise<Block | undefined>;
  /** The node's blocks at some numbers; an empty result when it does not answer. */
  ask(numbers: readonly number[]): Promise<readonly (BlockPointer | undefined)[]>;
}

/** Finds blocks of an archive that contradict each other, the final chain, or a reader that has refused them. */
export class ArchiveComparison {
  readonly #sources: ComparisonSources;
  /** Blocks (or logs of blocks) returned from the archive, and blocks to compare with the node's first. */
  readonly #given = new Map<number, string>();
  readonly #suspected = new Map<number, string>();

  constructor(sources: ComparisonSources) {
    this.#sources = sources;
  }

  /** The reader may have refused returned data: it is compared with the node's from now on. */
  suspectGiven(): void {
    for (const [number, hash] of this.#given) this.#suspected.set(number, hash);
    this.#given.clear();
  }

  /**
   * Compares blocks of the archive, or the blocks of its logs, with each other. Blocks that a reader may have refused
   * are compared with the node's. Data that contradicts the final chain is set aside.
   * @returns `wrong` when something was set aside; `unknown` when it is unknown which of two blocks is right
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

  /**
   * The hash of a final block, by links or by the node's answers if it always gives the same; `undefined` if neither
   * is known.
   */
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

  /** `null` if the blocks around a number show that the chain has none with it: the later one follows the earlier one. */
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
