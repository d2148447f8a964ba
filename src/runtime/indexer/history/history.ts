import { groupBy } from "../../../base/group-by.js";
import {
  type Block,
  type Chain,
  ChainError,
  type Log,
  type LogFilter,
  ReorgError,
} from "../../chain/chain.js";
import { areSameLog, logsNotIn } from "../../chain/log-order.js";
import { Bloom } from "../../chain/proof/bloom.js";
import { headerHash } from "../../chain/proof/header-hash.js";
import type { Patience } from "../../chain/rpc/patience.js";
import { createPatientChain, type PatientChain } from "../../chain/rpc/patient-chain.js";
import type { BlockRange } from "../logs/tails.js";
import type { Verification } from "../logs/verification.js";
import { differenceOf } from "./block-difference.js";
import type { HistoryBlock, HistorySource } from "./history-source.js";

/** Logs of a range from a source of history, as far as they are checked before their blocks are read. */
export interface HistoryLogs {
  readonly source: string;
  readonly logs: readonly Log[];
  /** Blocks whose logs must be confirmed by the node, one by one. */
  readonly doubtful: ReadonlySet<number>;
}

/** Settings of the checks. */
export interface HistoryOptions {
  /** Whether an archive keeps the blocks. It needs whole ones, which the node has. Without it, the source gives them. */
  readonly hasArchive: boolean;
  /** Chooses the sample: at least 0 and less than 1. */
  random(): number;
}

/** Blocks with logs in each range that are compared with the node's blocks and receipts. */
const sampled = 1;
/** A random filter admits logs with this much surprise once in a million times. */
const enoughSurprise = 20;
/** How often the run may go back before the source counts as the cause. */
const mostReturns = 3;

/** The source returned data that the node contradicts. What was indexed from it before may be wrong, too. */
export class FalseHistoryError extends ChainError {
  override readonly name = "FalseHistoryError";
}

/**
 * Reads final ranges from a source of history beside a node, and checks them against the node:
 * - The last block of each range is the node's, and the others are its ancestors by parent hash.
 * - The logs of blocks whose bloom filters admit any are compared with a list of the node's: two witnesses, as without a
 *   source. A filter in a header that does not have the block's hash proves nothing, so it admits all logs.
 * - A block with logs in each range is compared as a whole, with its receipts.
 *
 * A source that left out logs is not used any longer. A source that returned wrong data ends the run.
 */
export class History {
  /** The node's chain, with blocks of the source where those were checked. */
  readonly chain: Chain;
  readonly #source: HistorySource;
  /** Retries what a node of a pool may not know. */
  readonly #node: PatientChain;
  readonly #options: HistoryOptions;
  /** Blocks of ranges that are being run, by number. */
  readonly #given = new Map<number, Block>();
  /** The source's blocks that the node's are compared with as soon as they are read. */
  readonly #compared = new Map<number, Block>();
  /** The node's blocks at the ends of ranges. */
  readonly #ends = new Map<number, Block>();
  /** The end of the last range with a sample. Sources that a range creates are not sampled again. */
  #sampledTo = -1;
  #isRefused = false;
  #returns = 0;

  constructor(source: HistorySource, node: Chain, patience: Patience, options: HistoryOptions) {
    this.#source = source;
    this.#node = createPatientChain(node, patience);
    this.#options = options;
    const from = (numbers: readonly number[]): ReturnType<Chain["blocks"]> => this.#blocks(node, numbers);
    this.chain = chainWith(node, from, (block) => this.#whole(block));
  }

  /** The last block that the source can serve now; negative if it cannot serve any. */
  async reach(): Promise<number> {
    return this.#isRefused ? -1 : this.#source.reach();
  }

  /**
   * The logs of a final range that match a filter.
   * @returns `undefined` if the node has to be asked instead
   * @throws FalseHistoryError
   */
  async logs(
    range: BlockRange,
    filter: LogFilter,
    verification: Verification,
  ): Promise<HistoryLogs | undefined> {
    if (range.to > (await this.reach())) return undefined;
    const blocks = await this.#source.blocks(range, filter);
    if (!blocks || !(await this.#join(range, blocks))) return undefined;
    const logs = blocks.flatMap((block) => block.logs);
    const doubtful = await this.#doubtsIn(blocks, filter, verification);
    if (!doubtful) return undefined;
    if (range.to > this.#sampledTo)
      for (const block of this.#sampleOf(blocks, verification)) doubtful.add(block);
    this.#sampledTo = Math.max(this.#sampledTo, range.to);
    this.#give(blocks, filter, doubtful, verification);
    return { source: this.#source.name, logs, doubtful };
  }

  /** The block with all of its transactions. @throws ReorgError, FalseHistoryError */
  async #whole(block: Block): Promise<Block> {
    const whole = await this.#node.block(block.number);
    if (whole?.hash !== block.hash) throw new ReorgError(`block ${block.number} is not the node's`);
    this.#compare(block, whole);
    return whole;
  }

  /** Whether the bloom filter of a block proves that it has no logs that match a filter. */
  excludes(block: Block, filter: LogFilter, verification: Verification): boolean {
    const bloom = provedBloom(block, verification);
    return bloom !== undefined && (!bloom.isEmpty || block.gasUsed === 0n) && !bloom.admits(filter);
  }

  /**
   * Compares the source's logs of a block with proved logs.
   * @throws FalseHistoryError if a log of the source is not among them
   */
  judge({ number }: Block, given: readonly Log[], proved: readonly Log[]): void {
    if (logsNotIn(proved, given).length > 0) this.#fail(`logs of block ${number}`);
    const missing = proved.length - given.length;
    if (missing > 0) this.#refuse(`it left out ${missing} of ${proved.length} logs of block ${number}`);
  }

  /** The run goes back to an earlier block. */
  forget(): void {
    // A reorganisation at the head says nothing about a source of final blocks.
    const hasGiven = this.#ends.size > 0;
    this.#given.clear();
    this.#compared.clear();
    this.#ends.clear();
    this.#sampledTo = -1;
    this.#source.forget();
    if (hasGiven) this.#returns += 1;
    if (this.#returns === mostReturns)
      this.#refuse("its blocks and those of the node did not fit together several times");
  }

  /** Compares the end of a range with the node's block, and follows the hashes back from there. */
  async #join({ from, to }: BlockRange, blocks: readonly HistoryBlock[]): Promise<boolean> {
    const last = blocks.at(-1)?.block;
    if (last?.number !== to || blocks.length !== to - from + 1) {
      this.#refuse(`it did not return all blocks from ${from} to ${to}`);
      return false;
    }
    const own = this.#ends.get(to) ?? (await this.#node.block(to));
    if (own?.hash !== last.hash) {
      this.#refuse(`its block ${to} is ${last.hash}, but the node has ${own ? own.hash : "no such block"}`);
      return false;
    }
    let child: Block | undefined;
    for (const { block } of [...blocks].reverse()) {
      if (child && (child.parentHash !== block.hash || child.number !== block.number + 1)) {
        this.#refuse(`its block ${child.number} does not follow block ${block.number}`);
        return false;
      }
      child = block;
    }
    this.#compare(last, own);
    this.#ends.set(to, own);
    return true;
  }

  /** The blocks in doubt; `undefined` if the node could not be asked about them. */
  async #doubtsIn(
    blocks: readonly HistoryBlock[],
    filter: LogFilter,
    verification: Verification,
  ): Promise<Set<number> | undefined> {
    if (verification.mode !== "bloom") return new Set();
    for (const { block, logs } of blocks) noteBloom(block, logs, verification);
    const open = blocks.filter(
      ({ block, logs }) => logs.length > 0 || !this.excludes(block, filter, verification),
    );
    const first = open[0]?.block.number;
    const last = open.at(-1)?.block.number;
    if (first === undefined || last === undefined) return new Set();
    if (open.some(({ block }) => !isHashed(block)))
      verification.believes(
        `headers from the source ${this.#source.name} do not make the hashes of their blocks: it does not return all of their fields, or the chain hashes them in its own way. So their bloom filters are not proved, and all of its logs are compared with lists of the node`,
      );
    return this.#compareLists({ from: first, to: last }, blocks, filter);
  }

  /**
   * Compares the source's logs with a list of the node's. A bloom filter would not reveal that a log is missing which
   * repeats the address and the topic of another one.
   */
  async #compareLists(
    { from, to }: BlockRange,
    blocks: readonly HistoryBlock[],
    filter: LogFilter,
  ): Promise<Set<number> | undefined> {
    const listed = await this.#node.logs(from, to, filter).catch((error: unknown) => {
      if (error instanceof ChainError) return undefined;
      throw error;
    });
    if (!listed) return undefined;
    const byBlock = groupBy(listed, ({ block }) => block.number);
    const doubtful = new Set<number>();
    for (const { block, logs } of blocks) {
      if (block.number < from || block.number > to) continue;
      const own = byBlock.get(block.number) ?? [];
      const areEqual =
        own.length === logs.length && own.every((log, index) => areSameLog(log, logs[index] ?? log));
      if (!areEqual) doubtful.add(block.number);
    }
    return doubtful;
  }

  #sampleOf(blocks: readonly HistoryBlock[], { mode }: Verification): readonly number[] {
    if (mode !== "bloom") return [];
    const numbers = blocks.filter(({ logs }) => logs.length > 0).map(({ block }) => block.number);
    const chosen: number[] = [];
    for (let count = 0; count < sampled && numbers.length > 0; count++) {
      const [one] = numbers.splice(Math.floor(this.#options.random() * numbers.length), 1);
      if (one !== undefined) chosen.push(one);
    }
    return chosen;
  }

  /** Keeps the blocks that the run may use without the node. */
  #give(
    blocks: readonly HistoryBlock[],
    filter: LogFilter,
    doubtful: ReadonlySet<number>,
    verification: Verification,
  ): void {
    const first = blocks[0]?.block.number ?? 0;
    for (const kept of [this.#given, this.#compared, this.#ends])
      for (const number of kept.keys()) if (number < first - mostKept) kept.delete(number);
    const isByRoot = verification.mode === "receipts";
    for (const { block, logs } of blocks) {
      if (!isByRoot && logs.length === 0 && !doubtful.has(block.number)) continue;
      const isUsable =
        !this.#options.hasArchive &&
        hasTransactionsOf(block, logs) &&
        (isByRoot
          ? logs.length === 0 && this.excludes(block, filter, verification)
          : logs.length > 0 && !doubtful.has(block.number));
      const before = this.#given.get(block.number);
      if (isUsable) this.#given.set(block.number, before ? joined(before, block) : block);
      else {
        this.#given.delete(block.number);
        if (logs.length > 0) this.#compared.set(block.number, block);
      }
    }
  }

  async #blocks(node: Chain, numbers: readonly number[]): ReturnType<Chain["blocks"]> {
    const known = (number: number): Block | undefined => this.#ends.get(number) ?? this.#given.get(number);
    const missing = numbers.filter((number) => !known(number));
    const found = missing.length === 0 ? [] : await node.blocks(missing);
    const byNumber = new Map(missing.map((number, index) => [number, found[index]]));
    return numbers.map((number) => {
      const given = byNumber.has(number) ? undefined : known(number);
      if (given) return given;
      const block = byNumber.get(number);
      const other = this.#compared.get(number);
      if (block && other && other.hash === block.hash) {
        this.#compared.delete(number);
        this.#compare(other, block);
      }
      return block;
    });
  }

  #compare(given: Block, own: Block): void {
    // A node whose header does not have the block's hash proves nothing about the source.
    const difference = own.unprovedHeader === "broken" ? undefined : differenceOf(given, own);
    if (difference !== undefined) this.#fail(`${difference} of block ${own.number}`);
  }

  #refuse(why: string): void {
    if (!this.#isRefused) this.#source.refuse(why);
    this.#isRefused = true;
  }

  #fail(what: string): never {
    const { name } = this.#source;
    this.#isRefused = true;
    throw new FalseHistoryError(
      `the source ${name} returned other ${what} than the node. What was indexed from it may be wrong: index again without --source ${name}, and remove what it gave to an archive with graphloom archive forget --source ${name}`,
    );
  }
}

/** Ranges that are fetched ahead begin at most this many blocks after the block that is being run. */
const mostKept = 10_000;

/** Blocks are immutable, and several checks want to know the same. */
const hashed = new WeakMap<Block, boolean>();

/** Whether a header has the hash of its block, so that it is proved once the hash is. */
export function isHashed(block: Block): boolean {
  const is = hashed.get(block) ?? headerHash(block) === block.hash;
  hashed.set(block, is);
  return is;
}

/** The filter of a header that has the block's hash, on a chain whose filters were seen to be right. */
function provedBloom(block: Block, verification: Verification): Bloom | undefined {
  if (verification.distrustsBloomOf(block) || !isHashed(block)) return undefined;
  if (!verification.isEthereum && !verification.trustsBlooms) return undefined;
  const bloom = Bloom.parse(block.logsBloom);
  return bloom?.isFull ? undefined : bloom;
}

/** Learns from a block with logs whether the chain fills its bloom filters as Ethereum does. */
function noteBloom(block: Block, logs: readonly Log[], verification: Verification): void {
  if (verification.trustsBlooms || logs.length === 0 || !isHashed(block)) return;
  const bloom = Bloom.parse(block.logsBloom);
  if (bloom?.excludesNone(logs) && !bloom.isFull && bloom.surpriseOf(logs) >= enoughSurprise)
    verification.trustBlooms();
}

function hasTransactionsOf({ transactions }: Block, logs: readonly Log[]): boolean {
  return logs.every((log) => transactions.get(log.transactionHash)?.index === log.transactionIndex);
}

/** A block with the transactions of two answers, to different filters. */
function joined(one: Block, other: Block): Block {
  if (one.hash !== other.hash) return other;
  return { ...other, transactions: new Map([...one.transactions, ...other.transactions]) };
}

function chainWith(node: Chain, blocks: Chain["blocks"], whole: (block: Block) => Promise<Block>): Chain {
  const completed = async (block: Block): Promise<Block> => (block.lacksTransactions ? whole(block) : block);
  return {
    head: () => node.head(),
    block: (number) => node.block(number),
    blocks,
    wholeBlock: whole,
    logs: (from, to, filter, cut) => node.logs(from, to, filter, cut),
    logsOf: (block, filter) => node.logsOf(block, filter),
    calls: async (block, filter) => node.calls(await completed(block), filter),
    ...(node.traces && {
      traces: async (block: Block) => {
        const traces = await node.traces?.(await completed(block));
        if (!traces) throw new ChainError("the chain has lost its traces");
        return traces;
      },
    }),
    receipt: (transaction) => node.receipt(transaction),
    ...(node.receipts && { receipts: async (block) => node.receipts?.(block) }),
    ...(node.rawReceipts && { rawReceipts: async (block) => node.rawReceipts?.(block) }),
    read: (block, reads) => node.read(block, reads),
    balance: (block, address) => node.balance(block, address),
    code: (block, address) => node.code(block, address),
  };
}
