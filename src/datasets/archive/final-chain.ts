import type { BlockPointer } from "../../runtime/chain/chain.js";

/** A block, and the one before it. */
export interface LinkedBlock extends BlockPointer {
  readonly parentHash: string;
}

/** Where blocks are found. */
export interface LinkSource {
  /** A block that is at hand, by its hash; `undefined` if none is. */
  atHand(block: BlockPointer): Promise<LinkedBlock | undefined>;
  /** What a node has at some numbers, which may be blocks of another branch. */
  ask(numbers: readonly number[]): Promise<readonly (LinkedBlock | undefined)[]>;
}

/** Blocks that are asked for at once. */
const atOnce = 25;
/** How often a node is asked for a block in whose place it has another one: in a pool, another node may answer. */
const mostAttempts = 6;
/** Most blocks between two that are called final one after the other, for the first of them to be looked for. */
const mostBetween = 1_000;
/** Most blocks that a look-up goes back. */
const mostBack = 2_000;

/**
 * The last blocks of the chain that is final. Each is known by its hash, since the block after it names it as its parent, up
 * to one that was called final: what a node has at a number proves nothing.
 */
export class FinalChain {
  readonly #source: LinkSource;
  #end: BlockPointer | undefined;
  #hashes = new Map<number, string>();
  /** The lowest block that is known. */
  #low = 0;
  /** Look-ups take turns, so that each goes on where the one before it ended. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param end the end as it was proved before */
  constructor(source: LinkSource, end?: BlockPointer) {
    this.#source = source;
    if (end) this.#begin(end);
  }

  /** Whether a block is far below the end, so that it is not looked for. */
  isFar({ number }: BlockPointer): boolean {
    return this.#end === undefined || number < this.#end.number - mostBack;
  }

  /**
   * Moves the end of the chain.
   * @returns whether it was moved; not if the new end is not known to follow the one before it
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
      for (const [number, hash] of this.#hashes) if (number >= low) moved.#hashes.set(number, hash);
      this.#end = end;
      this.#hashes = moved.#hashes;
      this.#low = low;
      return true;
    });
  }

  #begin(end: BlockPointer): void {
    this.#end = end;
    this.#hashes = new Map([[end.number, end.hash]]);
    this.#low = end.number;
  }

  /** The hash of the final block of a number; `undefined` if it is not found, or beyond the end, or far below it. */
  async hashOf(number: number): Promise<string | undefined> {
    return this.#hashes.get(number) ?? this.#inTurn(() => this.#reach(number));
  }

  async #reach(number: number): Promise<string | undefined> {
    const end = this.#end;
    if (!end || number > end.number || number < end.number - mostBack) return undefined;
    while (this.#low > number) {
      const hash = this.#hashes.get(this.#low);
      if (hash === undefined) return undefined;
      const block = await this.#source.atHand({ number: this.#low, hash });
      if (block) this.#take(block);
      else if (!(await this.#fetch(number + 1))) return undefined;
    }
    return this.#hashes.get(number);
  }

  /** Asks for the lowest block that is known, and for those before it. @returns whether it was found */
  async #fetch(to: number): Promise<boolean> {
    const before = this.#low;
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const count = attempt === 1 ? Math.min(atOnce, this.#low - to + 1) : 1;
      const numbers = Array.from({ length: count }, (_, index) => this.#low - index);
      for (const block of await this.#source.ask(numbers))
        if (block && block.number === this.#low && this.#hashes.get(block.number) === block.hash)
          this.#take(block);
      if (this.#low < before) return true;
    }
    return false;
  }

  #take({ number, parentHash }: LinkedBlock): void {
    this.#hashes.set(number - 1, parentHash);
    this.#low = number - 1;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
