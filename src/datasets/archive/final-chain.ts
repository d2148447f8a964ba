import type { BlockPointer } from "../../runtime/chain/chain.js";

/** A block and its parent's hash. */
export interface LinkedBlock extends BlockPointer {
  readonly parentHash: string;
}

/** Where to find blocks. */
export interface LinkSource {
  /** A block that was already read, by hash; otherwise `undefined`. */
  atHand(block: BlockPointer): Promise<LinkedBlock | undefined>;
  /** A node's blocks at some numbers; they may belong to another branch. */
  ask(numbers: readonly number[]): Promise<readonly (LinkedBlock | undefined)[]>;
}

/** How many blocks to request at once. */
const atOnce = 25;
/** How often to ask a node for a block if it returns another one: in a pool, a different node may answer next. */
const mostAttempts = 6;
/** Maximum distance between consecutive final blocks for which the blocks in between are searched. */
const mostBetween = 1_000;
/** Maximum number of blocks that a lookup goes back. */
const mostBack = 2_000;
/** Maximum number of consecutive numbers to search for a block: Filecoin rarely has two null rounds in a row. */
export const longestGap = 8;

/**
 * The last blocks of the final chain. Their hashes follow from a block reported as final, because each block names
 * its parent: a node's answer for a number proves nothing. If a number has no block, the previous block counts.
 */
export class FinalChain {
  readonly #source: LinkSource;
  #end: BlockPointer | undefined;
  #blocks = new Map<number, BlockPointer>();
  /** The lowest known block; the chain may have no block with this number. */
  #low = 0;
  /** Lookups take turns, so that each continues where the previous one ended. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param end the previously proved end */
  constructor(source: LinkSource, end?: BlockPointer) {
    this.#source = source;
    if (end) this.#begin(end);
  }

  /** Whether a block is so far below the end that it is not searched. */
  isFar({ number }: BlockPointer): boolean {
    return this.#end === undefined || number < this.#end.number - mostBack;
  }

  /**
   * Moves the end of the chain.
   * @returns whether it moved; it does not unless the new end is known to follow the old one
   */
  async moveTo(end: BlockPointer): Promise<boolean> {
    return this.#inTurn(async () => {
      const last = this.#end;
      if (!last || end.number - last.number > mostBetween) {
        this.#begin(end);
        return true;
      }
      const moved = new FinalChain(this.#source, end);
      if ((await moved.#reach(last.number)) !== last.hash) return false;
      const low = Math.max(this.#low, end.number - mostBack);
      for (const [number, block] of this.#blocks) if (number >= low) moved.#blocks.set(number, block);
      this.#end = end;
      this.#blocks = moved.#blocks;
      this.#low = low;
      return true;
    });
  }

  #begin(end: BlockPointer): void {
    this.#end = end;
    this.#blocks = new Map([[end.number, end]]);
    this.#low = end.number;
  }

  /**
   * The hash of the final block at a number, or of the previous block if the chain has none; `undefined` if it is not
   * found, beyond the end, or far below it.
   */
  async hashOf(number: number): Promise<string | undefined> {
    return this.#blocks.get(number)?.hash ?? this.#inTurn(() => this.#reach(number));
  }

  /** Whether the chain is known to have no block with a number. */
  async isGap(number: number): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#reach(number - 1);
      const block = this.#blocks.get(number);
      return block !== undefined && block.number < number;
    });
  }

  async #reach(number: number): Promise<string | undefined> {
    const end = this.#end;
    if (!end || number > end.number || number < end.number - mostBack) return undefined;
    while (this.#low > number) {
      const lowest = this.#blocks.get(this.#low);
      if (lowest === undefined) return undefined;
      const block = await this.#source.atHand(lowest);
      if (block) this.#take(block);
      else if (!(await this.#fetch(number + 1))) return undefined;
    }
    return this.#blocks.get(number)?.hash;
  }

  /**
   * Requests the lowest known block and those before it.
   * @returns whether it was found
   */
  async #fetch(to: number): Promise<boolean> {
    const before = this.#low;
    let isGap = false;
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const wanted = attempt === 1 ? Math.min(atOnce, before - to + 1) : 1 + (isGap ? longestGap : 0);
      const count = Math.min(wanted, before + 1);
      const found = await this.#source.ask(Array.from({ length: count }, (_, index) => before - index));
      isGap = found.length > 0 && found[0] === undefined;
      for (const block of found)
        if (block && block.number <= this.#low && this.#blocks.get(this.#low)?.hash === block.hash)
          this.#take(block);
      if (this.#low < before) return true;
    }
    return false;
  }

  /** Adds the lowest known block. If its number is lower than expected, there are no blocks in between. */
  #take({ number, hash, parentHash }: LinkedBlock): void {
    for (let one = this.#low; one >= number; one--) this.#blocks.set(one, { number, hash });
    this.#blocks.set(number - 1, { number: number - 1, hash: parentHash });
    this.#low = number - 1;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
