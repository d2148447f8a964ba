import { type RecordedBlock, type Recording, RecordingError } from "./recording.js";
import { type Common, WholeBlock } from "./whole-block.js";

export class PlayedBlock extends WholeBlock {
  /** Its index in the order of arrival. */
  readonly at: number;
  readonly parent: PlayedBlock | undefined;

  constructor(recorded: RecordedBlock, at: number, parent: PlayedBlock | undefined, common: Common) {
    super(recorded, parent, common);
    this.at = at;
    this.parent = parent;
  }
}

/** An answer of a contract, and the first block at which the contract returns it. */
interface Answer {
  readonly from: PlayedBlock;
  readonly result: string;
}

/** A recorded chain at the current time: first its whole history, then one block after another. */
export class RecordedChain {
  readonly #recording: Recording;
  readonly #blocks: readonly PlayedBlock[];
  readonly #byHash: ReadonlyMap<string, PlayedBlock>;
  /** In order of arrival. */
  readonly #answers = new Map<string, Answer[]>();
  readonly #now: () => number;
  readonly #began: number;
  #branch: readonly PlayedBlock[] = [];

  /**
   * Starts to replay the chain.
   * @param now the time in milliseconds
   * @throws RecordingError when a block has no parent
   */
  constructor(recording: Recording, now: () => number) {
    this.#recording = recording;
    this.#now = now;
    this.#began = now();
    const byHash = new Map<string, PlayedBlock>();
    let previous: PlayedBlock | undefined;
    this.#blocks = recording.blocks.map((recorded, at) => {
      const parent = recorded.parent === undefined ? previous : byHash.get(recorded.parent);
      if (!parent && at > 0)
        throw new RecordingError(`Line ${at + 2} of the recording names an unknown parent`);
      const block = new PlayedBlock(recorded, at, parent, recording);
      byHash.set(block.hash, block);
      for (const [address, calls] of Object.entries(recorded.calls ?? {}))
        for (const [data, result] of Object.entries(calls))
          this.#note(address, data, { from: block, result });
      previous = block;
      return block;
    });
    this.#byHash = byHash;
  }

  get chainId(): number {
    return this.#recording.chainId;
  }

  /** The newest block. */
  get head(): PlayedBlock {
    const head = this.#current().at(-1);
    if (!head) throw new RecordingError("The recording has no blocks");
    return head;
  }

  /** The block with a number on the canonical branch; `undefined` beyond its ends. */
  block(number: number): PlayedBlock | undefined {
    const branch = this.#current();
    return branch[number - (branch[0]?.number ?? 0)];
  }

  /** A block that has arrived, even if it is no longer on the canonical branch. */
  blockOf(hash: string): PlayedBlock | undefined {
    const block = this.#byHash.get(hash);
    return block && block.at <= this.#lastAt() ? block : undefined;
  }

  /** The canonical blocks of a range, both ends inclusive. */
  range(from: number, to: number): readonly PlayedBlock[] {
    const branch = this.#current();
    const first = branch[0]?.number ?? 0;
    return branch.slice(Math.max(0, from - first), Math.max(0, to - first + 1));
  }

  /**
   * The answer of a contract as of a block.
   * @param address in lower-case hex
   * @returns `undefined` when the call reverts; `0x` when there is no contract
   */
  call(block: PlayedBlock, address: string, data: string): string | undefined {
    const contract = this.#contract(block, address);
    if (!contract) return "0x";
    const told = this.#answers.get(`${address} ${data}`) ?? [];
    const last = told.findLast(({ from }) => isAncestor(from, block));
    return last?.result ?? contract.functions[data.slice(0, 10)];
  }

  /** The code at an address as of a block. */
  code(block: PlayedBlock, address: string): string {
    return this.#contract(block, address)?.code ?? "0x";
  }

  #contract({ number }: PlayedBlock, address: string) {
    const contract = this.#recording.contracts[address];
    return contract && contract.since <= number ? contract : undefined;
  }

  #note(address: string, data: string, answer: Answer): void {
    const key = `${address} ${data}`;
    const told = this.#answers.get(key);
    if (told) told.push(answer);
    else this.#answers.set(key, [answer]);
  }

  /** The index of the last block that has arrived. */
  #lastAt(): number {
    const { history, interval, blocks } = this.#recording;
    const came = Math.floor((this.#now() - this.#began) / interval);
    let at = Math.min(history - 1 + Math.max(0, came), blocks.length - 1);
    while (blocks[at]?.waits) at -= 1;
    return at;
  }

  /** The canonical branch, from the first block to the head. */
  #current(): readonly PlayedBlock[] {
    const head = this.#blocks[this.#lastAt()];
    if (this.#branch.at(-1) !== head) {
      const branch: PlayedBlock[] = [];
      for (let block = head; block; block = block.parent) branch.push(block);
      this.#branch = branch.reverse();
    }
    return this.#branch;
  }
}

function isAncestor(one: PlayedBlock, block: PlayedBlock): boolean {
  let at: PlayedBlock | undefined = block;
  while (at && at.number > one.number) at = at.parent;
  return at === one;
}
