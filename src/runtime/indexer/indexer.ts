import { type Block, type BlockPointer, ReorgError } from "../chain/chain.js";
import type { Patience } from "../chain/patience.js";
import type { PatientChain } from "../chain/patient-chain.js";
import type { CommitOptions, WritableStore } from "../store/store.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import { BlockQueue } from "./block-queue.js";
import type { BlockOutcome, BlockRunner, BlockTriggers } from "./block-runner.js";
import { commonAncestor } from "./common-ancestor.js";
import type { HandlerFailure } from "./failure.js";
import { type ConfirmedLogs, LogWindow } from "./log-window.js";

/** What indexing has done so far. */
export interface Progress {
  /** The last block whose writes are complete. */
  readonly block: number;
  /** The last block that is to be indexed. */
  readonly target: number;
  /** Blocks that were run, because they hold triggers or are near the head. */
  readonly blocks: number;
  /** Handlers that ran. */
  readonly handlers: number;
  /** Reads of contracts sent to the node. */
  readonly reads: number;
  /** Versions of entities written. */
  readonly writes: number;
  /** Blocks taken back because the chain reorganised. */
  readonly reverted: number;
}

/** How far to index, and who wants to know. */
export interface IndexerOptions {
  readonly chain: PatientChain;
  /** Decides how long the node is asked again when its answers do not fit together. */
  readonly patience: Patience;
  readonly store: WritableStore;
  readonly sources: ActiveSources;
  readonly runner: BlockRunner;
  /** First block when the store is empty. */
  readonly from: number;
  /** Last block; without it, the head at the time, or no end when it is followed. */
  readonly to?: number | undefined;
  /** Whether to go on with blocks that are yet to come. */
  readonly follow: boolean;
  /** Waits for new blocks; resolved to false it ends the run. */
  waitForBlocks(): Promise<boolean>;
  onProgress(progress: Progress): void;
  onBlock(block: Block, outcome: BlockOutcome): void;
  /** Ends the run after the block that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** Blocks this near the head are all looked at, since the chain may still reorganise there. */
const unsettled = 250;
/** No node of a pool is further behind the others. */
const lag = 16;
const longestWindow = 2_000;
const manyLogs = 10_000;
/** How often in a row a node may not know the last block written before it counts as gone. */
const mostMisses = 3;

/** A block and what its logs were found to be, ahead of its turn. */
interface PreparedBlock {
  readonly block: Block;
  readonly confirmed: ConfirmedLogs;
}

/** Indexes a chain block by block. */
export class Indexer {
  readonly #options: IndexerOptions;
  #head: BlockPointer | undefined;
  /** The highest block written since the chain last changed: what comes up to it is no progress. */
  #highest = -1;
  #misses = 0;
  #span = 100;
  #progress: Progress = {
    block: -1,
    target: -1,
    blocks: 0,
    handlers: 0,
    reads: 0,
    writes: 0,
    reverted: 0,
  };

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /**
   * Runs until the last block, a failing handler or the signal.
   * @returns the handler that failed, if one did
   * @throws ChainError, also when the node's answers do not fit together for as long as patience lasts
   */
  async run(): Promise<HandlerFailure | undefined> {
    const { store, sources } = this.#options;
    this.#head = await store.head();
    if (this.#head) this.#report({ block: this.#head.number });
    for (const created of await store.dataSources()) sources.create(created);
    try {
      return await this.#runAll();
    } finally {
      await store.flush?.();
    }
  }

  async #runAll(): Promise<HandlerFailure | undefined> {
    for (;;) {
      try {
        const failure = await this.#runToTarget();
        if (failure || !(await this.#goesOn())) return failure;
        this.#options.patience.reset();
      } catch (error) {
        if (!(error instanceof ReorgError)) throw error;
        if (this.#options.signal?.aborted) return undefined;
        await this.#settle(error);
      }
    }
  }

  /** What was done. */
  get progress(): Progress {
    return this.#progress;
  }

  async #goesOn(): Promise<boolean> {
    const { follow, to, signal, waitForBlocks, store } = this.#options;
    if (!follow || signal?.aborted || (to !== undefined && this.#next > to)) return false;
    await store.flush?.();
    return waitForBlocks();
  }

  get #next(): number {
    return this.#head ? this.#head.number + 1 : this.#options.from;
  }

  async #runToTarget(): Promise<HandlerFailure | undefined> {
    const { chain, to, signal } = this.#options;
    const newest = await chain.head();
    await this.#checkHead();
    const target = Math.min(to ?? newest.number, newest.number);
    this.#report({ target });
    let prefetched: Promise<LogWindow> | undefined;
    while (this.#next <= target && !signal?.aborted) {
      const window = await (prefetched ?? this.#fetchWindow(this.#next, target, newest.number));
      this.#span = nextSpan(this.#span, window.size);
      prefetched = window.to < target ? this.#fetchWindow(window.to + 1, target, newest.number) : undefined;
      prefetched?.catch(() => undefined);
      const added: ActiveSource[] = [];
      const failure = await this.#runWindow(window, added);
      if (failure || this.#next <= window.to) return failure;
      if (added.length > 0) await (await prefetched)?.add(added, window.to + 1);
    }
    return undefined;
  }

  #fetchWindow(from: number, target: number, newest: number): Promise<LogWindow> {
    const to = Math.min(target, from + this.#span - 1);
    const range = { from, to, settledTo: newest - unsettled, sharedTo: newest - lag };
    return LogWindow.fetch(this.#options.chain, this.#options.sources.all, range);
  }

  async #runWindow(window: LogWindow, added: ActiveSource[]): Promise<HandlerFailure | undefined> {
    const { chain, sources, signal } = this.#options;
    const queue = new BlockQueue(chain, async (block) => ({ block, confirmed: await window.of(block) }));
    queue.add(this.#wanted(window, window.from));
    for (let next = await queue.take(); next && !signal?.aborted; next = await queue.take()) {
      const before = sources.all.length;
      const failure = await this.#runPrepared(next, window);
      if (failure) return failure;
      // Sources created on the way bring further blocks, and have calls looked for.
      const fresh = sources.all.slice(before);
      if (fresh.length === 0) continue;
      added.push(...fresh);
      const from = next.block.number + 1;
      await window.add(fresh, from);
      queue.add(this.#wanted(window, from));
    }
    return undefined;
  }

  async #runPrepared(
    { block, confirmed }: PreparedBlock,
    window: LogWindow,
  ): Promise<HandlerFailure | undefined> {
    const { logs } = await window.of(block, confirmed);
    // Near the head, whoever looks at the store wants to see each block.
    return this.#runBlock(block, logs, { more: block.number < window.settledTo });
  }

  /** The blocks of a window that have to be looked at, from one on: the last one is, to know where it ends. */
  #wanted(window: LogWindow, from: number): readonly number[] {
    if (from > window.to) return [];
    const everyBlock = this.#options.sources.callFilter.length > 0;
    const sparseTo = everyBlock ? window.from - 1 : window.settledTo;
    const wanted = window.blocks.filter((number) => number >= from && number <= sparseTo);
    for (let number = Math.max(from, sparseTo + 1); number <= window.to; number++) wanted.push(number);
    return [...wanted, window.to];
  }

  async #runBlock(
    block: Block,
    logs: BlockTriggers["logs"],
    options: CommitOptions,
  ): Promise<HandlerFailure | undefined> {
    const { chain, sources, runner, store, onBlock, patience } = this.#options;
    if (this.#head?.number === block.number - 1 && this.#head.hash !== block.parentHash) {
      throw new ReorgError(`block ${block.number} does not follow the block before it`);
    }
    const filter = sources.callFilter;
    const calls = filter.length > 0 ? await chain.calls(block, filter) : [];
    const outcome = await runner.run(block, { logs, calls });
    onBlock(block, outcome);
    if (outcome.failure) return outcome.failure;
    const pointer = { number: block.number, hash: block.hash };
    const { parentHash, timestamp } = block;
    await store.commit({ ...pointer, parentHash, timestamp }, outcome.writes, options);
    this.#head = pointer;
    if (block.number > this.#highest) patience.reset();
    this.#highest = Math.max(this.#highest, block.number);
    this.#misses = 0;
    const { blocks, handlers, reads, writes } = this.#progress;
    this.#report({
      block: block.number,
      blocks: blocks + 1,
      handlers: handlers + outcome.handlers,
      reads: reads + outcome.reads,
      writes: writes + outcome.writes.changes.length,
    });
    return undefined;
  }

  /** @throws ReorgError when the last block written is not on the chain any more */
  async #checkHead(): Promise<void> {
    if (!this.#head) return;
    const block = await this.#options.chain.block(this.#head.number);
    if (block?.hash !== this.#head.hash) throw new ReorgError(`block ${this.#head.number} is gone`);
  }

  /** Takes back what was written of blocks that are not on the chain any more; or waits until the node knows them. */
  async #settle(disagreement: ReorgError): Promise<void> {
    const { store, sources, patience } = this.#options;
    const { kept, isReplaced } = await commonAncestor(this.#options.chain, store);
    const isHead = kept?.hash === this.#head?.hash;
    this.#misses = isHead ? 0 : this.#misses + 1;
    // Nothing is gone: the node lags behind another one that has answered before. Soon that is less likely.
    if (isHead || !(isReplaced || this.#misses > mostMisses)) return patience.wait(disagreement);
    await store.revert(kept);
    sources.dropCreatedAfter(kept?.number ?? -1);
    const from = this.#head?.number ?? 0;
    this.#head = kept;
    const block = kept?.number ?? this.#options.from - 1;
    if (isReplaced) this.#highest = block;
    this.#report({ block, reverted: this.#progress.reverted + from - block });
  }

  #report(change: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress(this.#progress);
  }
}

/** A span that brings a moderate number of logs. */
function nextSpan(span: number, logs: number): number {
  if (logs > manyLogs) return Math.max(1, Math.floor(span / 2));
  return logs < manyLogs / 4 ? Math.min(longestWindow, span * 2) : span;
}
