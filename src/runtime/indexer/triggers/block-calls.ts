import {
  type BlockPointer,
  type Chain,
  ChainError,
  type ContractAnswer,
  type ContractRead,
} from "../../chain/chain.js";
import { Fault } from "../../errors.js";

/** Contract reads as of one block, as handlers make them. */
export interface BlockReads {
  /** The number of reads sent to the node. */
  readonly asked: number;
  /** The answer of a contract. @throws Fault, DeterministicError */
  answer(read: ContractRead): ContractAnswer;
  /** The balance of an account in wei. @throws Fault, DeterministicError */
  balance(address: string): bigint;
  /** Whether there is a contract at an address. @throws Fault, DeterministicError */
  hasCode(address: string): boolean;
  /** Registers a read that will be needed; `fetchWanted` makes it. */
  want(read: ContractRead): void;
  /** Makes all registered reads in parallel. */
  fetchWanted(): Promise<void>;
  /** Runs a handler with guesses for the reads that have no answer yet, and makes the reads that this discovers. */
  readAhead(most: number, handler: () => void): Promise<void>;
}

/**
 * Contract reads as of one block. Each read is made once, no matter how many handlers request it. A read without an
 * answer yet throws a `Fault`. A caller that runs several handlers ahead can collect their reads and fetch them
 * together.
 */
export class BlockCalls implements BlockReads {
  readonly #answers: Answers<ContractRead, ContractAnswer>;
  readonly #balances: Answers<string, bigint>;
  readonly #codes: Answers<string, boolean>;
  #asked = 0;
  /** How many reads may still be answered by a guess. */
  #guesses = 0;
  /** Whether the node has refused reads that followed from guesses. */
  #isMisled = false;

  constructor(chain: Chain, block: BlockPointer) {
    this.#answers = new Answers({
      keyOf: ({ address, data }) => `${address}${data}`,
      kindOf: ({ data }) => data.slice(0, "0x12345678".length),
      ask: (reads) => chain.read(block, reads),
    });
    const oneByOne =
      <T>(ask: (address: string) => Promise<T>) =>
      (addresses: readonly string[]) =>
        Promise.all(addresses.map(ask));
    const own = { keyOf: (address: string) => address, kindOf: () => "" };
    this.#balances = new Answers({ ...own, ask: oneByOne((address) => chain.balance(block, address)) });
    this.#codes = new Answers({
      ...own,
      ask: oneByOne(async (address) => (await chain.code(block, address)) !== "0x"),
    });
  }

  /** The number of reads sent to the node. */
  get asked(): number {
    return this.#asked;
  }

  /** The answer of a contract. @throws Fault */
  answer(read: ContractRead): ContractAnswer {
    return this.#known(this.#answers, read);
  }

  /** Registers a read that will be needed; `fetchWanted` makes it. */
  want(read: ContractRead): void {
    this.#answers.want(read);
  }

  /** The balance of an account in wei. @throws Fault */
  balance(address: string): bigint {
    return this.#known(this.#balances, address);
  }

  /** Whether there is a contract at an address. @throws Fault */
  hasCode(address: string): boolean {
    return this.#known(this.#codes, address);
  }

  /** Makes all registered reads in parallel. */
  async fetchWanted(): Promise<void> {
    const fetched = await Promise.all([this.#answers.fetch(), this.#balances.fetch(), this.#codes.fetch()]);
    for (const count of fetched) this.#asked += count;
  }

  /**
   * Runs a handler with guesses for the reads that have no answer yet: the last answer of the same function. This finds
   * the reads that the handler is about to ask for, such as those of the next turns of a loop, and makes them together.
   * Drop everything else that the handler did.
   * @param most how many guesses the handler gets
   */
  async readAhead(most: number, handler: () => void): Promise<void> {
    if (this.#isMisled) return;
    this.#guesses = most;
    try {
      handler();
    } finally {
      this.#guesses = 0;
    }
    try {
      await this.fetchWanted();
    } catch (error) {
      // The handler may never make the read that the node refuses.
      if (!(error instanceof ChainError)) throw error;
      this.#isMisled = true;
    }
  }

  #known<Read, Answer>(answers: Answers<Read, Answer>, read: Read): Answer {
    const known = answers.get(read);
    if (known !== undefined) return known;
    answers.want(read);
    const guess = this.#guesses > 0 ? answers.guess(read) : undefined;
    if (guess === undefined) throw new Fault(() => this.fetchWanted());
    this.#guesses -= 1;
    return guess;
  }
}

interface Asking<Read, Answer> {
  keyOf(read: Read): string;
  /** The common part of reads with similar answers. */
  kindOf(read: Read): string;
  ask(reads: readonly Read[]): Promise<readonly Answer[]>;
}

/** The answers to one kind of read. */
class Answers<Read, Answer> {
  readonly #asking: Asking<Read, Answer>;
  readonly #known = new Map<string, Answer>();
  /** The last answer that a handler got, by kind. */
  readonly #last = new Map<string, Answer>();
  #wanted = new Map<string, Read>();

  constructor(asking: Asking<Read, Answer>) {
    this.#asking = asking;
  }

  get(read: Read): Answer | undefined {
    const known = this.#known.get(this.#asking.keyOf(read));
    if (known !== undefined) this.#last.set(this.#asking.kindOf(read), known);
    return known;
  }

  guess(read: Read): Answer | undefined {
    return this.#last.get(this.#asking.kindOf(read));
  }

  want(read: Read): void {
    const key = this.#asking.keyOf(read);
    if (!this.#known.has(key)) this.#wanted.set(key, read);
  }

  /** Makes the wanted reads. @returns how many */
  async fetch(): Promise<number> {
    const wanted = [...this.#wanted];
    this.#wanted = new Map();
    if (wanted.length === 0) return 0;
    const answers = await this.#asking.ask(wanted.map(([, read]) => read));
    for (const [index, [key]] of wanted.entries()) {
      const answer = answers[index];
      if (answer !== undefined) this.#known.set(key, answer);
    }
    return wanted.length;
  }
}
