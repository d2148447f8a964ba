import type { Block } from "../chain/chain.js";
import type { PatientChain } from "../chain/rpc/patient-chain.js";

const atOnce = 25;
/** Number of blocks to prefetch. */
const depth = 75;

/** An entry of the queue; without `prepared` where the chain has no block with the number. */
export interface QueuedBlock<T> {
  readonly number: number;
  readonly prepared?: T;
}

/** A queue of blocks, sorted by number. Each block is prefetched once. */
export class BlockQueue<T> {
  readonly #chain: Pick<PatientChain, "blocks">;
  readonly #prepare: (block: Block) => Promise<T>;
  readonly #check: (numbers: readonly number[], blocks: readonly Block[]) => void;
  readonly #fetched = new Map<number, Promise<QueuedBlock<T>>>();
  #numbers: number[] = [];
  #arrived: Promise<unknown>;

  /**
   * @param prepare prepares every block ahead of its turn
   * @param check checks the blocks that were found for some numbers
   * @param before has earlier blocks, which are prepared first if they were requested
   */
  constructor(
    chain: Pick<PatientChain, "blocks">,
    prepare: (block: Block) => Promise<T>,
    check: (numbers: readonly number[], blocks: readonly Block[]) => void,
    before?: BlockQueue<T>,
  ) {
    this.#chain = chain;
    this.#prepare = prepare;
    this.#check = check;
    this.#arrived = before ? before.#arrived : Promise.resolve();
  }

  /** Adds blocks, all after those already taken, and starts to fetch the first ones. */
  add(numbers: readonly number[]): void {
    this.#numbers = [...new Set([...this.#numbers, ...numbers])].sort((a, b) => a - b);
    this.#fetchAhead();
  }

  /** Takes the next block; `undefined` when the queue is empty. @throws ReorgError, ChainError */
  async take(): Promise<QueuedBlock<T> | undefined> {
    this.#fetchAhead();
    const number = this.#numbers.shift();
    if (number === undefined) return undefined;
    const fetched = this.#fetched.get(number);
    this.#fetched.delete(number);
    return fetched;
  }

  #fetchAhead(): void {
    const near = this.#numbers.slice(0, depth);
    const open = near.filter((number) => !this.#fetched.has(number));
    const isUrgent = near[0] !== undefined && near[0] === open[0];
    for (let start = 0; start < open.length; start += atOnce) {
      const chunk = open.slice(start, start + atOnce);
      const isLast = near.length === this.#numbers.length;
      if (chunk.length === atOnce || isLast || (isUrgent && start === 0)) this.#fetch(chunk);
    }
  }

  #fetch(numbers: readonly number[]): void {
    const found = this.#chain.blocks(numbers);
    // Preparing a block may teach something that saves requests for later ones, so it must not depend on who answers first.
    const before = this.#arrived;
    const blocks = Promise.all([found, before]).then(([found]) => {
      this.#check(numbers, found);
      return new Map(found.map((block) => [block.number, block]));
    });
    this.#arrived = blocks.catch(() => undefined);
    numbers.forEach((number) => {
      const prepared = blocks.then(async (found) => {
        const block = found.get(number);
        return block ? { number, prepared: await this.#prepare(block) } : { number };
      });
      // `take` reports a failure. Until then, it must not count as an unhandled rejection.
      prepared.catch(() => undefined);
      this.#fetched.set(number, prepared);
    });
  }
}
