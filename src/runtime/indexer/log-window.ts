import { type Block, type Chain, type Log, type LogFilter, ReorgError } from "../chain/chain.js";
import type { ActiveSource } from "./active-source.js";
import { logFilterOf } from "./active-sources.js";
import { areAlike, confirmLogs } from "./confirm-logs.js";

const none: readonly Log[] = [];
const mostAttempts = 6;

/** A range of blocks, both ends inclusive, and the state of the chain. */
export interface WindowRange {
  readonly from: number;
  readonly to: number;
  /** The last settled block, which no reorg will replace. */
  readonly settledTo: number;
  /** The last block that every node of a pool has. */
  readonly sharedTo: number;
}

/** The confirmed logs of a block, and the filter that they match. */
export interface ConfirmedLogs {
  readonly filter: LogFilter;
  readonly logs: readonly Log[];
}

/** The logs of a range of blocks for the active sources. */
export class LogWindow {
  readonly #range: WindowRange;
  readonly #chain: Chain;
  readonly #byBlock = new Map<number, Log[]>();
  #sources: readonly ActiveSource[] = [];
  #filter: LogFilter = [];
  #count = 0;

  private constructor(chain: Chain, range: WindowRange) {
    this.#chain = chain;
    this.#range = range;
  }

  /** Fetches the logs of a range. */
  static async fetch(chain: Chain, sources: readonly ActiveSource[], range: WindowRange): Promise<LogWindow> {
    const window = new LogWindow(chain, range);
    await window.add(sources, range.from);
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

  /** How many logs there are. */
  get size(): number {
    return this.#count;
  }

  /** The blocks that hold logs. */
  get blocks(): readonly number[] {
    return [...this.#byBlock.keys()];
  }

  /** Adds the logs of further sources from a block on; returns the blocks that had no logs before. */
  async add(sources: readonly ActiveSource[], from: number): Promise<readonly number[]> {
    const listening = sources.filter((source) => source.endBlock >= from && source.startBlock <= this.to);
    const filter = logFilterOf(listening);
    if (filter.length === 0 || from > this.to) return [];
    const before = new Set(this.#byBlock.keys());
    for (const log of await this.#find(from, filter)) this.#insert(log);
    this.#sources = [...this.#sources, ...listening];
    this.#filter = logFilterOf(this.#sources);
    return this.blocks.filter((number) => !before.has(number));
  }

  /**
   * The confirmed logs of a block, by log index. An earlier confirmation is valid as long as no sources were
   * added.
   * @throws ReorgError when the node's answers are inconsistent with the block
   */
  async of(block: Block, before?: ConfirmedLogs): Promise<ConfirmedLogs> {
    const filter = this.#filter;
    if (before?.filter === filter) return before;
    const found = this.#byBlock.get(block.number) ?? none;
    const { settledTo, sharedTo } = this.#range;
    if (block.number > settledTo) {
      const claim = { filter, found, isNew: block.number > sharedTo };
      return { filter, logs: filter.length > 0 ? await confirmLogs(this.#chain, block, claim) : none };
    }
    if (found.some((log) => log.block.hash !== block.hash || log.removed)) {
      throw new ReorgError(`the logs of block ${block.number} are of another block`);
    }
    return { filter, logs: found };
  }

  #find(from: number, filter: LogFilter): Promise<readonly Log[]> {
    if (from > this.#range.settledTo) return this.#chain.logs(from, this.to, filter);
    return findTwice(this.#chain, from, this.to, filter);
  }

  #insert(log: Log): void {
    const { number } = log.block;
    const logs = this.#byBlock.get(number);
    if (!logs) this.#byBlock.set(number, [log]);
    else {
      const before = logs.findLastIndex((other) => other.logIndex <= log.logIndex);
      if (logs[before]?.logIndex === log.logIndex) return;
      logs.splice(before + 1, 0, log);
    }
    this.#count += 1;
  }
}

/**
 * The logs of a settled range, whose headers are not all fetched: queried as a whole and in parts, until both
 * agree. Every node has these blocks, so that an answer can lack logs only by truncation or by a hole in a
 * node's index, and differently split queries are not truncated at the same place. This transfers and decodes
 * each log twice, while the handlers of the previous window run.
 */
async function findTwice(chain: Chain, from: number, to: number, filter: LogFilter): Promise<readonly Log[]> {
  let [best, again] = await Promise.all([chain.logs(from, to, filter), inParts(chain, from, to, 2, filter)]);
  for (let parts = 1; parts <= mostAttempts; parts++) {
    if (areAlike(best, again)) return best;
    if (again.length > best.length) best = again;
    again = await inParts(chain, from, to, parts, filter);
  }
  throw new ReorgError(`the logs of blocks ${from} to ${to} are different every time`);
}

async function inParts(
  chain: Chain,
  from: number,
  to: number,
  parts: number,
  filter: LogFilter,
): Promise<readonly Log[]> {
  const width = Math.ceil((to - from + 1) / parts);
  const found: Promise<readonly Log[]>[] = [];
  for (let start = from; start <= to; start += width) {
    found.push(chain.logs(start, Math.min(to, start + width - 1), filter));
  }
  return (await Promise.all(found)).flat();
}
