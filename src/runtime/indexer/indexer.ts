import { type Block, type BlockPointer, type Chain, ReorgError } from "../chain/chain.js";
import type { WritableStore } from "../store/store.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import { ahead, chunks } from "./ahead.js";
import type { BlockOutcome, BlockRunner, BlockTriggers } from "./block-runner.js";
import { commonAncestor } from "./common-ancestor.js";
import type { HandlerFailure } from "./failure.js";
import { LogWindow } from "./log-window.js";

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
  readonly chain: Chain;
  readonly store: WritableStore;
  readonly sources: ActiveSources;
  readonly runner: BlockRunner;
  /** First block when the store is empty. */
  readonly from: number;
  /** Last block; without it, the head at the time, or no end when it is followed. */
  readonly to?: number | undefined;
  /** Whether to go on with blocks that are yet to come. */
  readonly follow: boolean;
  /** Waits before a node is asked again that does not know a block it should know. */
  pause(): Promise<void>;
  /** Waits for new blocks; resolved to false it ends the run. */
  waitForBlocks(): Promise<boolean>;
  onProgress(progress: Progress): void;
  onBlock(block: Block, outcome: BlockOutcome): void;
  /** Ends the run after the block that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** Blocks this near the head are all looked at, since the chain may still reorganise there. */
const unsettled = 250;
const longestWindow = 2_000;
const manyLogs = 10_000;
const blocksAtOnce = 25;
const mostRetries = 100;

/** Indexes a chain block by block. */
export class Indexer {
  readonly #options: IndexerOptions;
  #head: BlockPointer | undefined;
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
   * @throws ChainError
   */
  async run(): Promise<HandlerFailure | undefined> {
    const { store, sources } = this.#options;
    this.#head = await store.head();
    for (const created of await store.dataSources()) sources.create(created);
    let retries = 0;
    for (;;) {
      try {
        const failure = await this.#runToTarget();
        if (failure || !(await this.#goesOn())) return failure;
        retries = 0;
      } catch (error) {
        if (!(error instanceof ReorgError) || retries === mostRetries) throw error;
        retries += 1;
        await this.#revertToChain();
      }
    }
  }

  /** What was done. */
  get progress(): Progress {
    return this.#progress;
  }

  async #goesOn(): Promise<boolean> {
    const { follow, to, signal, waitForBlocks } = this.#options;
    if (!follow || signal?.aborted || (to !== undefined && this.#next > to)) return false;
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
      const window = await (prefetched ?? this.#fetchWindow(this.#next, target));
      this.#span = nextSpan(this.#span, window.size);
      prefetched = window.to < target ? this.#fetchWindow(window.to + 1, target) : undefined;
      prefetched?.catch(() => undefined);
      const added: ActiveSource[] = [];
      const failure = await this.#runWindow(window, newest.number, added);
      if (failure || this.#next <= window.to) return failure;
      if (added.length > 0) await (await prefetched)?.add(added, window.to + 1);
    }
    return undefined;
  }

  #fetchWindow(from: number, target: number): Promise<LogWindow> {
    const to = Math.min(target, from + this.#span - 1);
    return LogWindow.fetch(this.#options.chain, this.#options.sources.all, from, to);
  }

  async #runWindow(
    window: LogWindow,
    newest: number,
    added: ActiveSource[],
  ): Promise<HandlerFailure | undefined> {
    const { chain, sources, signal } = this.#options;
    const done = new Set<number>();
    // Sources created on the way bring further blocks, which have to be run in their turn.
    for (let from = window.from; from <= window.to; ) {
      const numbers = this.#wanted(window, from, newest);
      let isWider = false;
      for await (const blocks of ahead(chunks(numbers, blocksAtOnce), 2, (some) => chain.blocks(some))) {
        for (const block of blocks) {
          if (signal?.aborted) return undefined;
          const before = sources.all.length;
          const failure = await this.#runBlock(block, window.of(block));
          if (failure) return failure;
          done.add(block.number);
          from = block.number + 1;
          const fresh = sources.all.slice(before);
          if (fresh.length === 0) continue;
          added.push(...fresh);
          const known = window.blocks.length;
          await window.add(fresh, from);
          isWider = window.blocks.length > known;
          if (isWider) break;
        }
        if (isWider) break;
      }
      if (!isWider) {
        if (numbers.some((number) => !done.has(number))) throw new ReorgError("the chain became shorter");
        break;
      }
    }
    return undefined;
  }

  /** The blocks of a window that have to be looked at, from one on: the last one is, to know where it ends. */
  #wanted(window: LogWindow, from: number, newest: number): readonly number[] {
    const everyBlock = this.#options.sources.callFilter.length > 0;
    const settledTo = everyBlock ? window.from - 1 : newest - unsettled;
    const withLogs = window.blocks.filter((number) => number >= from && number <= settledTo);
    const rest: number[] = [];
    for (let number = Math.max(from, settledTo + 1); number <= window.to; number++) rest.push(number);
    const all = new Set([...withLogs.sort((a, b) => a - b), ...rest, window.to]);
    return [...all];
  }

  async #runBlock(block: Block, logs: BlockTriggers["logs"]): Promise<HandlerFailure | undefined> {
    const { chain, sources, runner, store, onBlock } = this.#options;
    if (this.#head?.number === block.number - 1 && this.#head.hash !== block.parentHash) {
      throw new ReorgError(`block ${block.number} does not follow the block before it`);
    }
    const filter = sources.callFilter;
    const calls = filter.length > 0 ? await chain.calls(block, filter) : [];
    const outcome = await runner.run(block, { logs, calls });
    onBlock(block, outcome);
    if (outcome.failure) return outcome.failure;
    const pointer = { number: block.number, hash: block.hash };
    await store.commit(pointer, outcome.writes);
    this.#head = pointer;
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

  /** Takes back what was written of blocks that are not on the chain any more. */
  async #revertToChain(): Promise<void> {
    const { chain, store, sources } = this.#options;
    const kept = await commonAncestor(chain, store);
    // Nothing is gone: the node lags behind another one that has answered before.
    if (kept?.number === this.#head?.number) return this.#options.pause();
    await store.revert(kept);
    sources.dropCreatedAfter(kept?.number ?? -1);
    const from = this.#head?.number ?? 0;
    this.#head = kept;
    const block = kept?.number ?? this.#options.from - 1;
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
