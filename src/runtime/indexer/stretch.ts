import { type Block, type BlockPointer, type Log, ReorgError } from "../chain/chain.js";
import type { PatientChain } from "../chain/rpc/patient-chain.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import { BlockQueue } from "./block-queue.js";
import type { Composition } from "./composition/composition.js";
import type { EntityWindow } from "./composition/entity-window.js";
import type { History } from "./history/history.js";
import { type ConfirmedLogs, LogWindow } from "./log-window.js";
import { fitting } from "./logs/log-lists.js";
import type { Verification } from "./logs/verification.js";
import type { ReadAhead } from "./read-ahead/read-ahead.js";
import type { KeptLogs, RunArchive } from "./run-archive.js";
import { demandedBlocks } from "./triggers/block-handlers.js";
import type { BlockTriggers } from "./triggers/block-triggers.js";

/** Reorg threshold in blocks. Nearer to the head, every block is run, because it may still be replaced. */
export const unsettled = 250;
/** Maximum number of blocks that one node of a pool is assumed to lag behind another. */
export const lag = 16;
/** Blocks of the first stretch: few, because nothing can run until its logs arrive. Later ones are fetched ahead. */
export const firstSpan = 25;
const longestSpan = 2_000;
const manyLogs = 10_000;

/** Adapts the number of blocks in a stretch, so that it has a moderate number of logs. */
export function nextSpan(span: number, logs: number): number {
  if (logs > manyLogs) return Math.max(1, Math.floor(span / 2));
  return logs < manyLogs / 4 ? Math.min(longestSpan, span * 2) : span;
}

/** A range of blocks, both ends inclusive, and the newest block of the chain. */
export interface StretchRange {
  readonly from: number;
  readonly to: number;
  readonly newest: number;
}

/** The context for fetching a stretch. */
export interface StretchContext {
  readonly archive?: RunArchive | undefined;
  readonly history?: History | undefined;
  /** The other subgraphs that are sources, if any. */
  readonly composition?: Composition | undefined;
  /** Gets every block ahead of its turn. */
  readonly readAhead?: ReadAhead | undefined;
  /** The stretch that runs meanwhile. */
  readonly before?: Stretch | undefined;
}

/** The next block to run. */
export interface NextBlock {
  readonly block: Block;
  readonly triggers: Pick<BlockTriggers, "logs" | "entities">;
  /** Whether the block may be written together with later ones. */
  readonly more: boolean;
  /** Numbers directly before it for which the chain has no block. */
  readonly nullRounds: number;
}

/** A block and its confirmed logs, prepared ahead of its turn. */
interface PreparedBlock {
  readonly block: Block;
  readonly confirmed: ConfirmedLogs;
}

/** A range of blocks: its logs, and the blocks that must be run, the first of which are already being fetched. */
export class Stretch {
  readonly #window: LogWindow;
  readonly #sources: ActiveSources;
  readonly #entities: EntityWindow | undefined;
  readonly #queue: BlockQueue<PreparedBlock>;
  /** The blocks that were taken, and their logs. */
  readonly #taken: BlockPointer[] = [];
  readonly #confirmed: Log[] = [];
  #trailing = 0;

  private constructor(
    chain: PatientChain,
    sources: ActiveSources,
    window: LogWindow,
    newest: number,
    {
      before,
      readAhead,
      entities,
    }: Pick<StretchContext, "before" | "readAhead"> & { readonly entities: EntityWindow | undefined },
  ) {
    this.#window = window;
    this.#entities = entities;
    this.#sources = sources;
    this.#queue = new BlockQueue(
      chain,
      async (block) => {
        const confirmed = await window.of(block);
        readAhead?.expect(block, confirmed.logs);
        return { block, confirmed };
      },
      (numbers, blocks) => {
        checkHead(numbers, blocks, newest);
        window.checkBlocks(numbers, blocks);
      },
      before ? before.#queue : undefined,
    );
    this.#queue.add(this.#wanted(window.from));
  }

  /** Fetches the logs of a range and starts to fetch its blocks, so that running it starts without waiting. */
  static async fetch(
    chain: PatientChain,
    sources: ActiveSources,
    { from, to, newest }: StretchRange,
    verification: Verification,
    { archive, history, readAhead, before, composition }: StretchContext,
  ): Promise<Stretch> {
    const entities = await composition?.fetch(from, to);
    const range = { from, to: entities?.to ?? to, settledTo: newest - unsettled, sharedTo: newest - lag };
    const window = await LogWindow.fetch(chain, sources.all, range, verification, { archive, history });
    return new Stretch(chain, sources, window, newest, { before, readAhead, entities });
  }

  /** The last block. */
  get to(): number {
    return this.#window.to;
  }

  /** The number of logs and entities. */
  get size(): number {
    return this.#window.size + (this.#entities?.size ?? 0);
  }

  /** Trailing numbers for which the chain has no block, once all blocks were taken. */
  get trailingNullRounds(): number {
    return this.#trailing;
  }

  /** Takes the next block; `undefined` when all were taken. @throws ReorgError, ChainError */
  async take(): Promise<NextBlock | undefined> {
    let next = await this.#queue.take();
    let nullRounds = 0;
    let before = (next?.number ?? 0) - 1;
    for (; next && !next.prepared; next = await this.#queue.take()) {
      nullRounds = next.number === before + 1 ? nullRounds + 1 : 1;
      before = next.number;
    }
    if (!next?.prepared) {
      this.#trailing = nullRounds;
      return undefined;
    }
    const { block, confirmed } = next.prepared;
    const { logs } = await this.#window.of(block, confirmed);
    this.#taken.push({ number: block.number, hash: block.hash });
    for (const log of logs) this.#confirmed.push(log);
    // At the head, readers of the store want to see each block.
    if (block.number !== before + 1) nullRounds = 0;
    const entities = this.#entities?.of(block);
    return {
      block,
      triggers: { logs, ...(entities && { entities }) },
      more: block.number < this.#window.sharedTo,
      nullRounds,
    };
  }

  /**
   * The logs that an archive may keep up to a block, once that block and all earlier ones were taken. Leaves out logs
   * from the archive itself.
   */
  evidence(to: number): readonly Omit<KeptLogs, "proof">[] {
    const known = this.#confirmed.filter(({ block }) => block.number <= to);
    const blocks = this.#taken.filter(({ number }) => number <= to);
    const { settledTo } = this.#window;
    return this.#window.asked
      .filter(({ from }) => from <= to)
      .map(({ from, filter, source }) => {
        const fits = fitting(filter);
        return {
          range: { from, to },
          filter,
          ...(source !== undefined && { source }),
          logs: known.filter((log) => log.block.number >= from && fits(log)),
          settledTo,
          blocks,
        };
      });
  }

  /** Adds logs and blocks of sources that were created in the meantime, from a block on. */
  async add(sources: readonly ActiveSource[], from: number): Promise<void> {
    await this.#window.add(sources, from);
    this.#queue.add(this.#wanted(from));
  }

  /** The blocks from a number on that must be run; always includes the last one, which marks the progress. */
  #wanted(from: number): readonly number[] {
    const { settledTo, to, blocks, wantsEveryBlock } = this.#window;
    if (from > to) return [];
    const single = wantsEveryBlock ? from : Math.max(from, settledTo + 1);
    const wanted = new Set(demandedBlocks(this.#sources.all, from, Math.min(settledTo, to)));
    for (const number of [...blocks, ...(this.#entities?.blocks ?? [])]) {
      if (number >= from && number <= settledTo) wanted.add(number);
    }
    for (let number = single; number <= to; number++) wanted.add(number);
    return [...wanted, to];
  }
}

/** The chain has a block at its head, even if a lagging node denies it. */
function checkHead(numbers: readonly number[], blocks: readonly Block[], newest: number): void {
  if (numbers.includes(newest) && !blocks.some(({ number }) => number === newest))
    throw new ReorgError(`the node says that there is no block ${newest}, although that is the chain's head`);
}
