import type { Block } from "../chain/chain.js";
import type { PatientChain } from "../chain/patient-chain.js";

const atOnce = 25;
/** How many are fetched, or under way, beside the one that is waited for. */
const depth = 75;

/** Blocks in the order of their numbers, fetched ahead of their turn and each only once. */
export class BlockQueue<T> {
  readonly #chain: Pick<PatientChain, "blocks">;
  readonly #prepare: (block: Block) => Promise<T>;
  readonly #fetched = new Map<number, Promise<T>>();
  #numbers: number[] = [];

  /** @param prepare what is made of every block ahead of its turn */
  constructor(chain: Pick<PatientChain, "blocks">, prepare: (block: Block) => Promise<T>) {
    this.#chain = chain;
    this.#prepare = prepare;
  }

  /** Adds blocks, none of which may come before one that was already taken. */
  add(numbers: readonly number[]): void {
    this.#numbers = [...new Set([...this.#numbers, ...numbers])].sort((a, b) => a - b);
  }

  /** Takes the next one; nothing when there are no more. @throws ReorgError, ChainError */
  async take(): Promise<T | undefined> {
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
    const blocks = this.#chain.blocks(numbers);
    numbers.forEach((number, index) => {
      const prepared = blocks.then((found) => this.#prepare(found[index] as Block));
      // Whoever takes it is told; until then a failure must not count as unhandled.
      prepared.catch(() => undefined);
      this.#fetched.set(number, prepared);
    });
  }
}
