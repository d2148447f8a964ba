import type { BlockPointer, Chain, ContractAnswer, ContractRead } from "../chain/chain.js";
import { Fault } from "../errors.js";

/**
 * Contract reads as of one block. Each read is made once, no matter how many handlers request it. A read without an
 * answer yet throws a `Fault`. A caller that runs several handlers ahead can collect their reads and fetch them
 * together.
 */
export class BlockCalls {
  readonly #chain: Chain;
  readonly #block: BlockPointer;
  readonly #answers = new Map<string, ContractAnswer>();
  readonly #balances = new Map<string, bigint>();
  readonly #codes = new Map<string, boolean>();
  #wanted = new Map<string, ContractRead>();
  #asked = 0;

  constructor(chain: Chain, block: BlockPointer) {
    this.#chain = chain;
    this.#block = block;
  }

  /** The number of reads sent to the node. */
  get asked(): number {
    return this.#asked;
  }

  /** The answer of a contract. @throws Fault */
  answer(read: ContractRead): ContractAnswer {
    const known = this.#answers.get(keyOf(read));
    if (known) return known;
    this.want(read);
    throw new Fault(() => this.fetchWanted());
  }

  /** Registers a read that will be needed; `fetchWanted` makes it. */
  want(read: ContractRead): void {
    const key = keyOf(read);
    if (!this.#answers.has(key)) this.#wanted.set(key, read);
  }

  /** Makes all registered reads in parallel. */
  async fetchWanted(): Promise<void> {
    const reads = [...this.#wanted.values()];
    this.#wanted = new Map();
    if (reads.length === 0) return;
    this.#asked += reads.length;
    const answers = await this.#chain.read(this.#block, reads);
    for (const [index, read] of reads.entries()) {
      const answer = answers[index];
      if (answer) this.#answers.set(keyOf(read), answer);
    }
  }

  /** The balance of an account in wei. @throws Fault */
  balance(address: string): bigint {
    const known = this.#balances.get(address);
    if (known !== undefined) return known;
    throw new Fault(async () => {
      this.#asked += 1;
      this.#balances.set(address, await this.#chain.balance(this.#block, address));
    });
  }

  /** Whether there is a contract at an address. @throws Fault */
  hasCode(address: string): boolean {
    const known = this.#codes.get(address);
    if (known !== undefined) return known;
    throw new Fault(async () => {
      this.#asked += 1;
      this.#codes.set(address, (await this.#chain.code(this.#block, address)) !== "0x");
    });
  }
}

function keyOf({ address, data }: ContractRead): string {
  return `${address}${data}`;
}
