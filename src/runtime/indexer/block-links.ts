import { type Block, type Chain, ReorgError } from "../chain/chain.js";
import type { PatientChain } from "../chain/rpc/patient-chain.js";
import type { Verification } from "./logs/verification.js";
import type { RunArchive } from "./run-archive.js";

/** The context for checking blocks. */
export interface BlockLinksOptions {
  readonly chain: Pick<Chain, "block"> & Pick<PatientChain, "blocks">;
  /** The chain head. */
  readonly newest: number;
  /** The last settled block: nodes do not differ about it and those before it. */
  readonly settledTo: number;
  readonly archive?: RunArchive | undefined;
  readonly verification: Verification;
  /** Whether all blocks of a range are added; otherwise, only replaceable blocks are sure to be. */
  readonly isGapless?: boolean;
}

/**
 * Proves that blocks which may still be replaced belong to one chain. A node of a pool may serve a block of another
 * branch, so a block counts as proved when the block after it follows it, or when the archive has it.
 */
export class BlockLinks {
  readonly #options: BlockLinksOptions;
  /** The last block, which is not proved yet. */
  #last: Block | undefined;

  constructor(options: BlockLinksOptions) {
    this.#options = options;
  }

  /**
   * Takes the next blocks, in order.
   * @returns the blocks that are proved now
   * @throws ReorgError for a block that does not follow the previous one
   */
  add(blocks: readonly Block[]): readonly Block[] {
    const proved: Block[] = [];
    for (const block of blocks) {
      if (this.#last) {
        if (this.#isNext(block, this.#last)) this.#checkFollows(block, this.#last);
        proved.push(this.#last);
      }
      this.#last = block;
    }
    return proved;
  }

  /**
   * Proves the last block by the block after it. The chain head has no next block, so it is requested again.
   * @returns the block
   * @throws ReorgError when it belongs to another branch
   */
  async end(): Promise<readonly Block[]> {
    const { chain, newest, settledTo, archive } = this.#options;
    const last = this.#last;
    this.#last = undefined;
    if (!last) return [];
    if (last.number <= settledTo || (await archive?.has(last))) return [last];
    if (last.number >= newest) {
      const again = await chain.block(last.number);
      if (again?.hash !== last.hash) throw new ReorgError(`block ${last.number} was replaced`);
      return [last];
    }
    for (let number = last.number + 1; number <= newest; number++) {
      const [next] = await chain.blocks([number]);
      if (!next) continue;
      this.#checkFollows(next, last);
      break;
    }
    return [last];
  }

  /** @throws ReorgError */
  #checkFollows(block: Block, before: Block): void {
    if (block.parentHash === before.hash || this.#options.verification.bearsGap(before, block)) return;
    throw new ReorgError(`block ${block.number} does not follow the block before it`);
  }

  /**
   * Whether the chain has no block between two: if all blocks between them were read, a number without a
   * block is a null round.
   */
  #isNext({ number }: Block, before: Block): boolean {
    const { settledTo, isGapless = false } = this.#options;
    return number === before.number + 1 || isGapless || before.number >= settledTo;
  }
}
