import { type Block, type Chain, type Log, type LogFilter, ReorgError } from "../chain/chain.js";
import { areSameLog, clashOf, inOrder } from "../chain/log-order.js";
import { wholeBlock } from "../chain/whole-block.js";
import type { ActiveSource } from "./active-source.js";
import { logFilterOf } from "./active-sources.js";
import type { History, HistoryLogs } from "./history/history.js";
import { confirmLogs } from "./logs/confirm-logs.js";
import { askOnce, askTwice, type Testimony, type WindowRange } from "./logs/log-witnesses.js";
import type { Tails } from "./logs/tails.js";
import type { Verification } from "./logs/verification.js";
import type { RunArchive } from "./run-archive.js";

const none: readonly Log[] = [];

/** The confirmed logs of a block, and the filter that they match. */
export interface ConfirmedLogs {
  readonly filter: LogFilter;
  readonly logs: readonly Log[];
}

/** The logs that were requested from the node or from a source of history: all that match a filter, from a block to the end of the window. */
export interface AskedLogs {
  readonly from: number;
  readonly filter: LogFilter;
  /** The source of history that returned them; absent for the node. */
  readonly source?: string;
}

/** Where the logs of a window are read from before the node is asked. */
export interface LogStores {
  readonly archive?: RunArchive | undefined;
  readonly history?: History | undefined;
}

/** The logs of a range of blocks for the active sources. */
export class LogWindow {
  readonly #range: WindowRange;
  readonly #chain: Chain;
  readonly #verification: Verification;
  readonly #archive: RunArchive | undefined;
  readonly #history: History | undefined;
  readonly #byBlock = new Map<number, Log[]>();
  /** Logs that the first answer did not contain. */
  readonly #late = new Set<Log>();
  /** Settled blocks whose logs must be confirmed one by one. */
  readonly #doubtful = new Set<number>();
  #tails: readonly Tails[] = [];
  /** Logs that were requested, because the archive lacked them. */
  readonly #asked: AskedLogs[] = [];
  /** Whether a source of history returned some of the logs, and the node others. */
  #hasHistory = false;
  #hasNode = false;
  #sources: readonly ActiveSource[] = [];
  #filter: LogFilter = [];
  #count = 0;

  private constructor(
    chain: Chain,
    range: WindowRange,
    verification: Verification,
    { archive, history }: LogStores,
  ) {
    this.#chain = chain;
    this.#verification = verification;
    this.#range = range;
    this.#archive = archive;
    this.#history = history;
  }

  /** Fetches the logs of a range. */
  static async fetch(
    chain: Chain,
    sources: readonly ActiveSource[],
    range: WindowRange,
    verification: Verification,
    stores: LogStores = {},
  ): Promise<LogWindow> {
    const window = new LogWindow(chain, range, verification, stores);
    await window.add(sources, range.from);
    return window;
  }

  /** Fetches the logs of a range that match a filter. */
  static async fetchMatching(
    chain: Chain,
    filter: LogFilter,
    range: WindowRange,
    verification: Verification,
    stores: LogStores = {},
  ): Promise<LogWindow> {
    const window = new LogWindow(chain, range, verification, stores);
    await window.#find(range.from, filter);
    window.#filter = filter;
    return window;
  }

  get from(): number {
    return this.#range.from;
  }

  get to(): number {
    return this.#range.to;
  }

  get settledTo(): number {
    return this.#range.settledTo;
  }

  get sharedTo(): number {
    return this.#range.sharedTo;
  }

  get size(): number {
    return this.#count;
  }

  /** The blocks that contain logs, or may contain some. */
  get blocks(): readonly number[] {
    return [...new Set([...this.#byBlock.keys(), ...this.#doubtful])];
  }

  /** Whether blocks without any logs must be checked as well. */
  get wantsEveryBlock(): boolean {
    return this.#verification.mode === "receipts" && this.#asked.length > 0;
  }

  /**
   * Checks that blocks were found wherever logs are.
   * @param numbers the requested blocks
   * @throws ReorgError when the node has logs at a number for which it claims that the chain has no block
   */
  checkBlocks(numbers: readonly number[], blocks: readonly Block[]): void {
    if (blocks.length === numbers.length) return;
    const found = new Set(blocks.map(({ number }) => number));
    const missing = numbers.find((number) => !found.has(number) && this.#byBlock.has(number));
    if (missing === undefined) return;
    throw new ReorgError(`the node returned logs of block ${missing}, but says that there is no such block`);
  }

  /** Adds the logs of more sources from a block on. */
  async add(sources: readonly ActiveSource[], from: number): Promise<void> {
    const listening = sources.filter((source) => source.endBlock >= from && source.startBlock <= this.to);
    const filter = logFilterOf(listening);
    if (filter.length === 0 || from > this.to) return;
    await this.#find(from, filter);
    this.#sources = [...this.#sources, ...listening];
    this.#filter = logFilterOf(this.#sources);
  }

  /** The requested logs that the archive does not have at all. */
  get asked(): readonly AskedLogs[] {
    return this.#asked;
  }

  async #find(from: number, filter: LogFilter): Promise<void> {
    const kept = await this.#archive?.knownLogs({ from, to: this.to }, filter, this.#verification.mode);
    if (kept) {
      for (const log of kept) this.#insert(log);
      return;
    }
    const isFinal = this.to <= this.settledTo;
    const given = isFinal
      ? await this.#history?.logs({ from, to: this.to }, filter, this.#verification)
      : undefined;
    if (given) this.#take(from, filter, given);
    else await this.#ask(from, filter);
  }

  #take(from: number, filter: LogFilter, { source, logs, doubtful }: HistoryLogs): void {
    for (const log of logs) this.#insert(log);
    for (const block of doubtful) this.#doubtful.add(block);
    this.#asked.push({ from, filter, source });
    this.#hasHistory = true;
  }

  async #ask(from: number, filter: LogFilter): Promise<void> {
    const { logs, late, doubtful, tails } = await this.#hear(from, filter);
    for (const log of logs) this.#insert(log);
    for (const log of late) this.#late.add(log);
    for (const block of doubtful) this.#doubtful.add(block);
    this.#tails = [...this.#tails, tails];
    this.#asked.push({ from, filter });
    this.#hasNode = true;
  }

  /**
   * The confirmed logs of a block, in order. An earlier confirmation stays valid until sources are added.
   * @throws ReorgError when the node's answers are inconsistent with the block
   */
  async of(block: Block, before?: ConfirmedLogs): Promise<ConfirmedLogs> {
    const filter = this.#filter;
    if (before?.filter === filter) return before;
    return { filter, logs: filter.length > 0 ? await this.#confirm(block, filter) : none };
  }

  async #confirm(block: Block, filter: LogFilter): Promise<readonly Log[]> {
    const found = inOrder(this.#byBlock.get(block.number) ?? none);
    if (this.#asked.length === 0) return keptOf(block, found);
    const isSettled = block.number <= this.settledTo;
    const isAgreed = isSettled && this.#isAgreed(block, found);
    if (isAgreed && this.#verification.mode === "bloom" && !clashOf(found)) return found;
    if (this.#history && this.#hasHistory && this.#verification.mode !== "off")
      return this.#confirmGiven(this.#history, block, found);
    const isDoubtful = isSettled || this.#mayLackSome(block, found);
    const answered = found.filter((log) => !this.#late.has(log));
    return confirmLogs(this.#chain, block, { filter, found, answered, isDoubtful }, this.#verification);
  }

  /** Asks the node for the logs of a block that a source of history has returned, and compares both. */
  async #confirmGiven(history: History, block: Block, found: readonly Log[]): Promise<readonly Log[]> {
    const filter = this.#filter;
    if (found.length === 0 && history.excludes(block, filter, this.#verification)) return none;
    const whole = await wholeBlock(this.#chain, block);
    const claim = { filter, isDoubtful: true, isFresh: true };
    const confirm = (known: readonly Log[]): Promise<readonly Log[]> =>
      confirmLogs(this.#chain, whole, { ...claim, found: known }, this.#verification);
    // Logs that a node leaves out are found again only if they are known. Logs that do not exist cannot be confirmed.
    const proved = await confirm(found).catch((error: unknown) => {
      if (error instanceof ReorgError && found.length > 0) return confirm(none);
      throw error;
    });
    if (!this.#hasNode) history.judge(whole, found, proved);
    return proved;
  }

  /** Whether the witnesses agree on a block, and mean this block. */
  #isAgreed({ number, hash }: Block, found: readonly Log[]): boolean {
    return !this.#doubtful.has(number) && found.every((log) => log.block.hash === hash && !log.removed);
  }

  /** Whether a node of a pool may lack a block, or an answer may have been truncated in it. */
  #mayLackSome({ number }: Block, found: readonly Log[]): boolean {
    return number > this.sharedTo || (found.length > 0 && this.#tails.some((tails) => tails.has(number)));
  }

  #hear(from: number, filter: LogFilter): Promise<Testimony> {
    const range = { ...this.#range, from };
    const isOnce = from > this.#range.settledTo || this.#verification.mode !== "bloom";
    return isOnce ? askOnce(this.#chain, range, filter) : askTwice(this.#chain, range, filter);
  }

  #insert(log: Log): void {
    const { number } = log.block;
    const logs = this.#byBlock.get(number);
    if (!logs) this.#byBlock.set(number, [log]);
    else {
      if (!isAfter(log, logs.at(-1)) && logs.some((other) => areSameLog(other, log))) return;
      logs.push(log);
    }
    this.#count += 1;
  }
}

/** Whether a log comes after the last one of an ordered list, so that the list cannot contain it. */
function isAfter(log: Log, last: Log | undefined): boolean {
  const step = log.transactionIndex - (last?.transactionIndex ?? 0);
  return step > 0 || (step === 0 && log.logIndex > (last?.logIndex ?? -1));
}

/** Logs of the archive were confirmed before they were kept. @throws ReorgError when they are not of this block */
function keptOf({ number, hash }: Block, found: readonly Log[]): readonly Log[] {
  if (found.every((log) => log.block.hash === hash)) return found;
  throw new ReorgError(`the archived logs of block ${number} belong to a different block`);
}
