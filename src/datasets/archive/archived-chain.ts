import { diskTrouble } from "../../base/disk-trouble.js";
import { present } from "../../base/invariant.js";
import { messageOf } from "../../base/text/message-of.js";
import {
  type Block,
  type BlockPointer,
  type CallFilter,
  type CallTrace,
  type Chain,
  ChainError,
  type ContractAnswer,
  type ContractRead,
  type Log,
  type LogCut,
  type LogFilter,
  type Receipt,
  ReorgError,
  type Trace,
} from "../../runtime/chain/chain.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { KeptLogs, RunArchive } from "../../runtime/indexer/run-archive.js";
import { unsettled } from "../../runtime/indexer/stretch.js";
import type { ChainArchive } from "./chain-archive.js";
import { FinalChain } from "./final-chain.js";
import { FinalKeeper } from "./final-keeper.js";
import { bytesOf, HeldReads } from "./held-reads.js";
import { answerText, readAnswer } from "./json-answer.js";
import { WeightedMap } from "./segments/weighted-map.js";
import type { StoredQuestion, StoredStretch } from "./stored-logs.js";
import { ArchiveComparison } from "./verify/archive-comparison.js";
import { EntryProof } from "./verify/entry-proof.js";

export interface ArchivedChainOptions {
  /** Asks the node for the newest final block, given the chain head. */
  readonly finalOf: (head: BlockPointer) => Promise<BlockPointer | undefined>;
  /** The last block to read. If the archive knows that it is final, the node is not asked for its head. */
  readonly to?: number | undefined;
  /** Called once with the reason if nothing more can be stored, for example on a full disk. Reading continues. */
  readonly onTrouble?: ((why: string) => void) | undefined;
  /** Called when the node contradicts the archive or itself, so that both are compared before the next request. */
  readonly recheck?: (() => void) | undefined;
}

/** How many blocks the head must advance before asking the node again for the final block. */
const finalEvery = 32;
/** The same, after an answer that contradicts earlier reads and so was not used. */
const finalAgain = 4;
/** How many recent blocks to search for a receipt's transaction, and their approximate bytes. */
const recentBlocks = 256;
const recentBytes = 64 * 1024 * 1024;
/** Maximum number of blocks to remember whose answers came from the archive. */
const mostAnswered = 20_000;

/**
 * A chain that reads from an archive where possible, and from a node otherwise. The archive stores what a run has
 * confirmed once the block is proved to be on the final chain, by hash, never by number. Reads from other branches
 * are dropped.
 */
export class ArchivedChain implements Chain, RunArchive {
  readonly #node: Chain;
  readonly #archive: ChainArchive;
  readonly #options: ArchivedChainOptions;
  /** The node's answers, stored once their block has run and is final. */
  readonly #held = new HeldReads();
  readonly #finals: FinalChain;
  readonly #comparison: ArchiveComparison;
  readonly #keeper: FinalKeeper;
  readonly #entry: EntryProof;
  /** The last returned blocks, to find a transaction's block. */
  readonly #recent = new WeightedMap<number, Block>(recentBytes);
  /** Hashes of blocks with answers from the archive, and of blocks for which the archive is no longer used. */
  #answered = new Set<string>();
  readonly #doubted = new Set<string>();
  /** The last block that has run. */
  #newest: BlockPointer | undefined;
  #head: number | undefined;
  /** The last head given to the reader. */
  #told: number | undefined;
  #isBroken = false;

  constructor(node: Chain, archive: ChainArchive, options: ArchivedChainOptions) {
    this.#node = node;
    this.#archive = archive;
    this.#options = options;
    this.#entry = new EntryProof(archive.chainId);
    this.#finals = new FinalChain(
      {
        atHand: async (block) => {
          const known = this.#atHand(block);
          if (known) return known;
          const kept = await archive.block(block.number);
          return kept?.hash === block.hash ? kept : undefined;
        },
        ask: (numbers) => this.#askBriefly(numbers),
      },
      archive.marks?.final,
    );
    this.#comparison = new ArchiveComparison({
      archive,
      finals: this.#finals,
      kept: (number) => this.#kept(number),
      ask: (numbers) => this.#askBriefly(numbers),
    });
    this.#keeper = new FinalKeeper({
      archive,
      held: this.#held,
      finals: this.#finals,
      softly: (write) => this.#softly(write),
    });
  }

  async head(): Promise<BlockPointer> {
    const { to } = this.#options;
    const { marks } = this.#archive;
    const isEnough = marks && to !== undefined && marks.final.number >= to;
    const head = isEnough ? marks.head : await this.#node.head();
    this.#told = head.number;
    if (isEnough || (this.#head !== undefined && head.number < this.#head + finalEvery)) return head;
    const final = await this.#options.finalOf(head);
    const isUsed = final === undefined || (await this.#isFinal(final));
    this.#head = isUsed ? head.number : head.number - finalEvery + finalAgain;
    if (final && isUsed) {
      await this.#softly(() => this.#archive.mark({ head, final }));
      await this.#keeper.keepWaiting();
    }
    return head;
  }

  async block(number: number): Promise<Block | undefined | null> {
    const [block] = await this.blocks([number]);
    return block;
  }

  async blocks(numbers: readonly number[]): Promise<readonly (Block | undefined | null)[]> {
    const found = await this.#keptBlocks(numbers);
    const kept = await Promise.all(numbers.map(async (number, index) => found[index] ?? this.#gapAt(number)));
    const missing = numbers.filter((_, index) => kept[index] === undefined);
    const fetched = missing.length === 0 ? [] : await this.#node.blocks(missing);
    const byNumber = new Map(missing.map((number, index) => [number, fetched[index]]));
    return numbers.map((number, index) => {
      const block = kept[index] === undefined ? byNumber.get(number) : kept[index];
      if (!block) return block;
      if (!kept[index] && !this.#isBroken && this.#entry.admitsBlock(block))
        this.#held.addBlock(block, this.#told !== undefined && block.number <= this.#told - unsettled);
      this.#remember(block);
      return block;
    });
  }

  logs(from: number, to: number, filter: LogFilter, cut?: LogCut): Promise<readonly Log[]> {
    return this.#node.logs(from, to, filter, cut);
  }

  logsOf(block: BlockPointer, filter?: LogFilter): Promise<readonly Log[]> {
    const question = `logs ${block.hash} ${JSON.stringify(filter ?? null)}`;
    return this.#ask(block, question, () => this.#node.logsOf(block, filter));
  }

  calls(block: Block, filter: CallFilter): Promise<readonly CallTrace[]> {
    const question = `calls ${block.hash} ${JSON.stringify(filter)}`;
    return this.#ask(block, question, () => this.#node.calls(block, filter));
  }

  traces(block: Block): Promise<readonly Trace[]> {
    return this.#ask(block, `traces ${block.hash}`, async () => {
      if (this.#node.traces) return this.#node.traces(block);
      throw new ChainError("this chain has no traces");
    });
  }

  async receipt(transaction: string): Promise<Receipt | undefined> {
    const block = this.#recent.values.findLast(({ transactions }) => transactions.has(transaction));
    const ask = (): Promise<Receipt | undefined> => this.#node.receipt(transaction);
    if (!block) return ask();
    return this.#ask(block, `receipt ${block.hash} ${transaction}`, async () => {
      const receipt = await ask();
      return receipt?.block.hash === block.hash ? receipt : undefined;
    });
  }

  /**
   * Remembers that a node does not return all receipts of a block at once: no need to try again if the archive has
   * each receipt.
   */
  async receipts(block: BlockPointer): Promise<readonly Receipt[] | undefined> {
    const question = `receipts ${block.hash}`;
    const kept = await this.#keptAnswer(block, question);
    if (kept?.value) return kept.value as readonly Receipt[];
    if (kept && (await this.#hasEachReceipt(block))) return undefined;
    const receipts = await this.#node.receipts?.(block);
    const whole = this.#atHand(block);
    // Receipts that cannot be checked against their block are not stored, and are requested again later.
    if (!receipts || (whole && this.#entry.admitsReceipts(receipts, whole)))
      this.#hold(block, question, receipts ?? null);
    return receipts;
  }

  rawReceipts(block: BlockPointer): Promise<readonly string[] | undefined> {
    const ask = async (): Promise<readonly string[] | undefined> => this.#node.rawReceipts?.(block);
    const admits = (raw: readonly string[] | undefined): boolean => {
      const whole = this.#atHand(block);
      return !raw || (whole !== undefined && this.#entry.admitsRaw(raw, whole));
    };
    return this.#ask(block, `raw receipts ${block.hash}`, ask, admits);
  }

  async read(block: BlockPointer, reads: readonly ContractRead[]): Promise<readonly ContractAnswer[]> {
    const questions = reads.map(({ address, data }) => `read ${block.hash} ${address} ${data}`);
    const kept = await Promise.all(questions.map((question) => this.#keptAnswer(block, question)));
    const missing = reads.filter((_, index) => kept[index] === undefined);
    const fetched = missing.length === 0 ? [] : [...(await this.#node.read(block, missing))].reverse();
    return questions.map((question, index) => {
      const known = kept[index];
      if (known !== undefined) return known.value as ContractAnswer;
      const answer = present(fetched.pop(), "the node has answered fewer reads than were asked for");
      this.#hold(block, question, answer);
      return answer;
    });
  }

  balance(block: BlockPointer, address: string): Promise<bigint> {
    return this.#ask(block, `balance ${block.hash} ${address}`, () => this.#node.balance(block, address));
  }

  code(block: BlockPointer, address: string): Promise<string> {
    return this.#ask(block, `code ${block.hash} ${address}`, () => this.#node.code(block, address));
  }

  get reach(): number {
    return this.#archive.reach;
  }

  async knownLogs(
    range: BlockRange,
    filter: LogFilter,
    proof: VerifyMode,
  ): Promise<readonly Log[] | undefined> {
    for (;;) {
      const logs = await this.#archive.logs(range, filter, proof);
      if (!logs) return undefined;
      const outcome = await this.#comparison.compare(logs.map(({ block }) => block));
      if (outcome === "right") return logs;
      if (outcome === "unknown") return undefined;
    }
  }

  /** The archive's files for the final blocks of a range. */
  async storedLogs(question: StoredQuestion): Promise<StoredStretch> {
    const to = Math.min(question.to, this.#final);
    if (to < question.from) return { to: question.to, files: undefined };
    return this.#archive.storedLogs({ ...question, to });
  }

  /** The last final block is known even if the archive lacks it and the chain has no block after it yet. */
  async has({ number, hash }: BlockPointer): Promise<boolean> {
    const final = this.#archive.marks?.final;
    return (number === final?.number ? final.hash : (await this.#kept(number))?.hash) === hash;
  }

  async keepLogs(kept: KeptLogs): Promise<void> {
    if (this.#isBroken) return;
    await this.#keeper.keepLogs(kept);
  }

  async keepBlock(block: BlockPointer): Promise<void> {
    if (this.#isBroken) return;
    this.#newest = block;
    await this.#keeper.keepBlock(block);
  }

  /**
   * The reader may have refused an answer from the archive, so from now on the node is used for these blocks. Reads
   * of blocks that ran remain, and are stored if the blocks become final.
   */
  forget(): void {
    for (const hash of this.#answered) this.#doubted.add(hash);
    this.#answered.clear();
    this.#comparison.suspectGiven();
    this.#held.keepOnly(this.#keeper.waiting);
    this.#recent.clear();
    this.#newest = undefined;
    this.#options.recheck?.();
  }

  /** Writes the blocks and answers gathered so far, and returns once they are on disk. */
  async flush(): Promise<void> {
    if (this.#keeper.isDue) await this.#keeper.keepWaiting();
    await this.#softly(() => this.#archive.flush());
  }

  get #final(): number {
    return this.#archive.marks?.final.number ?? -1;
  }

  /** Whether a block that a node calls final follows the previous final block on this chain. */
  async #isFinal(final: BlockPointer): Promise<boolean> {
    const before = this.#archive.marks?.final;
    if (final.number < (before?.number ?? 0) || !(await this.#isOnChain(this.#newest))) return false;
    let last: BlockPointer | undefined = this.#newest;
    while (last && last.number > final.number) {
      const block: Block | undefined = this.#held.block(last.hash);
      // If the block at a number has a lower number, the chain has no block there.
      const isGap = block !== undefined && block.number < last.number;
      last = isGap ? block : block && { number: block.number - 1, hash: block.parentHash };
    }
    if (last?.number === final.number && last.hash !== final.hash) return false;
    return this.#finals.moveTo(final);
  }

  /** The node's blocks at some numbers. Missing blocks are left for later. */
  async #askBriefly(numbers: readonly number[]): Promise<readonly (Block | undefined)[]> {
    try {
      return (await this.#node.blocks(numbers)).map((block) => block ?? undefined);
    } catch (error) {
      if (error instanceof ChainError || error instanceof ReorgError) return [];
      throw error;
    }
  }

  /** Whether the node still has a block. If so, it also has all blocks that ran before it. */
  async #isOnChain(block: BlockPointer | undefined): Promise<boolean> {
    return !block || (await this.#node.block(block.number))?.hash === block.hash;
  }

  async #kept(number: number): Promise<Block | undefined> {
    return number <= this.#final ? this.#archive.block(number) : undefined;
  }

  /** The archive's blocks at some numbers. */
  async #keptBlocks(numbers: readonly number[]): Promise<readonly (Block | undefined)[]> {
    for (;;) {
      const kept = await Promise.all(numbers.map((number) => this.#kept(number)));
      const outcome = await this.#comparison.compare(kept.filter((block) => block !== undefined));
      if (outcome === "right") return kept;
      if (outcome === "unknown") return numbers.map(() => undefined);
    }
  }

  async #gapAt(number: number): Promise<null | undefined> {
    return number < this.#final ? this.#comparison.gapAt(number) : undefined;
  }

  /** A block that was read recently. */
  #atHand({ number, hash }: BlockPointer): Block | undefined {
    const recent = this.#recent.get(number);
    return recent?.hash === hash ? recent : this.#held.block(hash);
  }

  /** Asks the archive first, then the node. Stores neither `undefined` nor answers that `admits` refuses. */
  async #ask<T>(
    block: BlockPointer,
    question: string,
    ask: () => Promise<T>,
    admits: (answer: T) => boolean = () => true,
  ): Promise<T> {
    const kept = await this.#keptAnswer(block, question);
    if (kept) return kept.value as T;
    const answer = await ask();
    if (answer !== undefined && admits(answer)) this.#hold(block, question, answer);
    return answer;
  }

  async #hasEachReceipt(block: BlockPointer): Promise<boolean> {
    const known = this.#recent.get(block.number);
    if (known?.hash !== block.hash) return false;
    const { transactions } = known;
    const kept = await Promise.all(
      [...transactions.keys()].map((hash) => this.#keptAnswer(block, `receipt ${block.hash} ${hash}`)),
    );
    return kept.every((answer) => answer !== undefined);
  }

  async #keptAnswer(block: BlockPointer, question: string): Promise<{ readonly value: unknown } | undefined> {
    if (block.number > this.#final || this.#doubted.has(block.hash)) return undefined;
    const text = await this.#archive.answer(block.number, question);
    if (text === undefined) return undefined;
    if (this.#answered.size >= mostAnswered) this.#answered.clear();
    this.#answered.add(block.hash);
    return { value: readAnswer(text) };
  }

  #hold({ number, hash }: BlockPointer, question: string, value: unknown): void {
    if (this.#isBroken) return;
    this.#held.addAnswer({ block: number, hash, question, answer: answerText(value) });
  }

  #remember(block: Block): void {
    this.#recent.delete(block.number);
    this.#recent.set(block.number, block, Math.max(bytesOf(block), recentBytes / recentBlocks));
  }

  /** Failing to write to the archive does not end a run. */
  async #softly(write: () => Promise<void>): Promise<void> {
    if (this.#isBroken) return;
    try {
      await write();
    } catch (error) {
      this.#isBroken = true;
      this.#keeper.end();
      this.#held.clear();
      this.forget();
      this.#options.onTrouble?.(diskTrouble(error)?.reason ?? messageOf(error));
    }
  }
}
