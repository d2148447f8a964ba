import { type Block, type BlockPointer, ReorgError } from "../chain/chain.js";
import type { Patience } from "../chain/rpc/patience.js";
import type { PatientChain } from "../chain/rpc/patient-chain.js";
import { BlockError, RetriedError } from "../errors.js";
import type { CommitOptions, WritableStore } from "../store/store.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import type { BlockOutcome, BlockRunner } from "./block-runner.js";
import { BorneFailures } from "./borne-failures.js";
import { commonAncestor } from "./common-ancestor.js";
import type { Composition } from "./composition/composition.js";
import type { HandlerFailure } from "./failure.js";
import type { History } from "./history/history.js";
import type { Verification } from "./logs/verification.js";
import type { ReadAhead } from "./read-ahead/read-ahead.js";
import type { RunArchive } from "./run-archive.js";
import { firstSpan, nextSpan, Stretch, unsettled } from "./stretch.js";
import type { BlockTriggers } from "./triggers/block-triggers.js";

export interface Progress {
  /** The last block that is completely written. */
  readonly block: number;
  /** The last block to index. */
  readonly target: number;
  /** Blocks that were run because they have triggers or are near the head. */
  readonly blocks: number;
  /** Handlers that ran. */
  readonly handlers: number;
  /** Contract reads sent to the node. */
  readonly reads: number;
  /** Versions of entities written. */
  readonly writes: number;
  /** Blocks reverted because of reorgs. */
  readonly reverted: number;
}

/** The range to index, and callbacks. */
export interface IndexerOptions {
  readonly chain: PatientChain;
  /** Limits the retries after inconsistent answers of the node. */
  readonly patience: Patience;
  readonly store: WritableStore;
  readonly sources: ActiveSources;
  readonly runner: BlockRunner;
  /** The other subgraphs that are sources in place of the chain, if any. */
  readonly composition?: Composition | undefined;
  readonly verification: Verification;
  /** Keeps what is read. */
  readonly archive?: RunArchive | undefined;
  /** Serves final ranges in place of the node. */
  readonly history?: History | undefined;
  /** Announces to the store what handlers will read. */
  readonly readAhead?: ReadAhead | undefined;
  /** First block when the store is empty. */
  readonly from: number;
  /** Whether the block before it counts as written before any other. */
  readonly beginsBefore: boolean;
  /** Last block; by default the current head, or no end when following. */
  readonly to?: number | undefined;
  /** Whether to follow the chain head. */
  readonly follow: boolean;
  /** Waits for new blocks; resolving to false ends the run. */
  waitForBlocks(): Promise<boolean>;
  /** Processes what has arrived in the meantime, before the next block. */
  breathe(): Promise<void>;
  /** Checks that the node serves the chain that the store was filled from. @throws ChainError */
  checkChain(): Promise<void>;
  onProgress(progress: Progress): void;
  onBlock(block: Block, outcome: BlockOutcome): void;
  /** Ends the run after the current block. */
  readonly signal?: AbortSignal | undefined;
  /** Whether failures are tolerated only after a block near the head was written; an earlier failure ends the run. */
  readonly bearsOnlyNearHead: boolean;
}

/** A block counts as near the chain head if it is at most this many blocks behind it, as in graph-node. */
const nearHead = 10;
/** Consecutive look-ups that may miss the last written block before it counts as gone. */
const mostMisses = 3;

/** Indexes a chain block by block. */
export class Indexer {
  readonly #options: IndexerOptions;
  #head: BlockPointer | undefined;
  /** The end of the last stretch. The chain may have no block with this number: then it is beyond the head. */
  #done = -1;
  /** Trailing numbers for which the chain has no block. */
  #trailing = 0;
  /** The highest block written since the last reorg. Blocks up to it do not count as progress. */
  #highest = -1;
  #misses = 0;
  /** The chain head at the last look-up. */
  #newest = 0;
  #wasNearHead = false;
  #isHalted = false;
  readonly #borne = new BorneFailures();
  #span = firstSpan;
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
   * Runs until the last block, a failed handler or the signal.
   * @returns the failed handler, if any
   * @throws BlockError when the changes of a block cannot be written; ChainError, also when the node's answers stay
   * inconsistent beyond the limit of `patience`
   */
  async run(): Promise<HandlerFailure | undefined> {
    const { store, sources, checkChain } = this.#options;
    await checkChain();
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
        this.#options.archive?.forget();
        this.#options.history?.forget();
        this.#options.readAhead?.forget();
        await this.#settle(error);
      }
    }
  }

  /** The progress so far. */
  get progress(): Progress {
    return this.#progress;
  }

  /** Failed handlers that did not end the run: the first 1,000. */
  get errors(): readonly HandlerFailure[] {
    return this.#borne.all;
  }

  /** Whether the run has ended after a block with failures that was not near the chain head yet. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  async #goesOn(): Promise<boolean> {
    const { follow, signal, waitForBlocks, store } = this.#options;
    if (!follow || signal?.aborted || this.#isHalted || this.#next > this.#last) return false;
    await store.flush?.();
    return waitForBlocks();
  }

  get #next(): number {
    return Math.max(this.#done, this.#head?.number ?? this.#options.from - 1) + 1;
  }

  /** The last block that may contain anything to index. */
  get #last(): number {
    const { to = Number.POSITIVE_INFINITY, sources } = this.#options;
    return Math.min(to, sources.lastBlock);
  }

  /** Whether the run ends with a block. */
  #endsWith(block: number): boolean {
    return block === this.#last || (!this.#options.follow && block === this.#progress.target);
  }

  async #runToTarget(): Promise<HandlerFailure | undefined> {
    const { chain, signal, composition } = this.#options;
    const newest = await chain.head();
    this.#newest = newest.number;
    await this.#checkHead(newest);
    if (!this.#head) await this.#begin(newest.number);
    const reach = composition ? await composition.reach(chain) : newest.number;
    const target = Math.min(this.#last, newest.number, reach);
    this.#report({ target });
    let prefetched: Promise<Stretch> | undefined;
    while (this.#next <= target && !signal?.aborted && !this.#isHalted) {
      const stretch = await (prefetched ?? this.#fetchStretch(this.#next, target, newest.number));
      const { to } = stretch;
      this.#span = nextSpan(this.#span, stretch.size);
      prefetched = to < target ? this.#fetchStretch(to + 1, target, newest.number, stretch) : undefined;
      prefetched?.catch(() => undefined);
      const added: ActiveSource[] = [];
      const failure = await this.#runStretch(stretch, added);
      if (failure || this.#next <= to) return failure;
      if (added.length > 0) await (await prefetched)?.add(added, to + 1);
    }
    return undefined;
  }

  /**
   * In graph-node, the block before the first one counts as written from the deployment on. Here it does so if the run
   * asks for it, and if all sources end before the first block.
   */
  async #begin(newest: number): Promise<void> {
    const { chain, sources, store, from, beginsBefore } = this.#options;
    const isWanted = beginsBefore || sources.lastBlock < from;
    if (from === 0 || !isWanted || newest < from - 1) return;
    let block = await chain.block(from - 1);
    for (let number = from - 2; block === null && number >= 0; number--) block = await chain.block(number);
    if (!block) return;
    const { number, hash, parentHash, timestamp } = block;
    await store.commit({ number, hash, parentHash, timestamp }, { changes: [], dataSources: [] });
    this.#head = { number, hash };
    this.#report({ block: number });
  }

  async #fetchStretch(from: number, target: number, newest: number, before?: Stretch): Promise<Stretch> {
    const { chain, sources, verification, archive, history, readAhead, composition } = this.#options;
    const last = Math.min(target, from + this.#span - 1);
    const settled = newest - unsettled;
    const served = history && from <= settled ? Math.min(await history.reach(), settled) : -1;
    // A range that an archive or a source contains only in part would be requested as a whole.
    const reaches = [archive?.reach ?? -1, served].filter((reach) => from <= reach);
    const to = Math.min(last, ...reaches);
    return Stretch.fetch(chain, sources, { from, to, newest }, verification, {
      archive,
      history,
      readAhead,
      before,
      composition,
    });
  }

  async #runStretch(stretch: Stretch, added: ActiveSource[]): Promise<HandlerFailure | undefined> {
    const { sources, signal, breathe } = this.#options;
    for (let next = await stretch.take(); next && !signal?.aborted; next = await stretch.take()) {
      const { block, triggers, more, nullRounds } = next;
      this.#checkFollows(block, nullRounds);
      const before = sources.all.length;
      const failure = await this.#runBlock(block, triggers, { more });
      if (failure || this.#isHalted) {
        await this.#keepLogs(stretch, block.number);
        return failure;
      }
      await breathe();
      const fresh = sources.all.slice(before);
      if (fresh.length === 0) continue;
      added.push(...fresh);
      await stretch.add(fresh, block.number + 1);
    }
    if (!signal?.aborted) {
      if (stretch.trailingNullRounds > 0 && this.#endsWith(stretch.to)) await this.#checkLast(stretch.to);
      this.#done = stretch.to;
      this.#trailing = stretch.trailingNullRounds;
    }
    await this.#keepLogs(stretch, Math.min(stretch.to, this.#next - 1));
    return undefined;
  }

  async #keepLogs(stretch: Stretch, to: number): Promise<void> {
    const { archive, verification } = this.#options;
    if (!archive) return;
    for (const logs of stretch.evidence(to)) await archive.keepLogs({ ...logs, proof: verification.proof });
  }

  /**
   * @param nullRounds numbers directly before the block for which the chain has no block
   * @throws ReorgError
   */
  #checkFollows({ number, hash, parentHash }: Block, nullRounds: number): void {
    let previous = number - 1 - nullRounds;
    if (previous === this.#done) previous -= this.#trailing;
    const head = this.#head;
    if (head?.number !== previous || head.hash === parentHash) return;
    if (this.#options.verification.bearsGap(head, { number, hash })) return;
    // A reorganisation may have put a block where there was none.
    if (head.number === this.#done - this.#trailing) this.#done = head.number;
    throw new ReorgError(`block ${number} does not follow the previous block`);
  }

  /**
   * Checks null rounds at the end of a run: the next block must follow the last one. A node that stayed on a replaced chain may
   * have no block where the others have one.
   * @throws ReorgError
   */
  async #checkLast(to: number): Promise<void> {
    const head = this.#head;
    if (!head || to <= this.#newest - unsettled) return;
    for (let number = to + 1; number <= this.#newest; number++) {
      const block = await this.#options.chain.block(number);
      if (block === null) continue;
      if (block?.parentHash === head.hash) return;
      if (block && this.#options.verification.bearsGap(head, block)) return;
      throw new ReorgError(`block ${number} does not follow block ${head.number}, the last one before it`);
    }
  }

  async #runBlock(
    block: Block,
    triggers: Pick<BlockTriggers, "logs" | "entities">,
    options: CommitOptions,
  ): Promise<HandlerFailure | undefined> {
    const { chain, sources, runner, store, onBlock, patience, bearsOnlyNearHead } = this.#options;
    const filter = sources.callFilterAt(block.number);
    const calls = filter.length > 0 ? await chain.calls(block, filter) : [];
    const outcome = await runner
      .run(block, { ...triggers, calls }, this.#endsWith(block.number))
      .catch((error: unknown) => asOfBlock(error, block));
    onBlock(block, outcome);
    const pointer = { number: block.number, hash: block.hash };
    await this.#options.archive?.keepBlock(pointer);
    const { parentHash, timestamp } = block;
    const written = { ...pointer, parentHash, timestamp };
    const isNearHead = block.number + nearHead >= this.#newest;
    if (outcome.failure) {
      const { failure, proofDigest } = outcome;
      await store.fail?.(failure, written, { isNearHead, ...(proofDigest && { proofDigest }) });
      return outcome.failure;
    }
    const { errors, runs } = outcome;
    const all = {
      ...outcome.writes,
      ...(errors.length > 0 && { errors }),
      ...(runs.length > 0 && { runs }),
    };
    await store
      .commit(written, all, { ...options, isNearHead })
      .catch((error: unknown) => asOfBlock(error, block));
    this.#head = pointer;
    this.#wasNearHead ||= isNearHead;
    this.#isHalted = errors.length > 0 && bearsOnlyNearHead && !this.#wasNearHead;
    this.#borne.add(outcome.errors);
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

  /** @throws ReorgError when the last written block is no longer on the chain */
  async #checkHead(newest: BlockPointer): Promise<void> {
    if (!this.#head) return;
    const { number, hash } = this.#head;
    const block = await this.#options.chain.block(number);
    if (block?.hash === hash) return;
    if (block || newest.number >= number) throw new ReorgError(`block ${number} is no longer on the chain`);
    throw new ReorgError(`the node is at block ${newest.number}, behind block ${number}, which is indexed`);
  }

  /** Reverts written blocks that are no longer on the chain, or waits until the node knows them. */
  async #settle(disagreement: ReorgError): Promise<void> {
    const { store, sources, patience, checkChain } = this.#options;
    const { kept, isReplaced } = await commonAncestor(this.#options.chain, store);
    const isHead = kept?.hash === this.#head?.hash;
    this.#misses = isHead ? 0 : this.#misses + 1;
    // Not a reorg: the node lags behind another node of its pool, which becomes less likely with time.
    if (isHead || !(isReplaced || this.#misses > mostMisses)) return patience.wait(disagreement);
    // A different chain behind the node's address also has different blocks. Nothing must be reverted because of it.
    await checkChain();
    await store.revert(kept);
    sources.dropCreatedAfter(kept?.number ?? -1);
    this.#borne.dropAfter(kept?.number ?? -1);
    const from = this.#head?.number ?? 0;
    this.#head = kept;
    this.#done = -1;
    const block = kept?.number ?? this.#options.from - 1;
    if (isReplaced) this.#highest = block;
    this.#report({ block, reverted: this.#progress.reverted + from - block });
  }

  #report(change: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress(this.#progress);
  }
}

/** @throws BlockError in place of an error that graph-node would retry; otherwise the same error */
function asOfBlock(error: unknown, block: BlockPointer): never {
  throw error instanceof RetriedError ? new BlockError(block, error) : error;
}
