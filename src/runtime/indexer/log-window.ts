import { type Chain, type Log, ReorgError } from "../chain/chain.js";
import type { ActiveSource } from "./active-source.js";
import { logFilterOf } from "./active-sources.js";

const none: readonly Log[] = [];

/** The logs of a range of blocks that sources listen to. */
export class LogWindow {
  readonly from: number;
  readonly to: number;
  readonly #chain: Chain;
  readonly #byBlock = new Map<number, Log[]>();
  #count = 0;

  private constructor(chain: Chain, from: number, to: number) {
    this.#chain = chain;
    this.from = from;
    this.to = to;
  }

  /** Gets the logs of a range, both ends included. */
  static async fetch(
    chain: Chain,
    sources: readonly ActiveSource[],
    from: number,
    to: number,
  ): Promise<LogWindow> {
    const window = new LogWindow(chain, from, to);
    await window.add(sources, from);
    return window;
  }

  /** How many logs there are. */
  get size(): number {
    return this.#count;
  }

  /** The blocks that hold logs. */
  get blocks(): readonly number[] {
    return [...this.#byBlock.keys()];
  }

  /** Adds the logs of further sources from a block on. */
  async add(sources: readonly ActiveSource[], from: number): Promise<void> {
    const listening = sources.filter((source) => source.endBlock >= from && source.startBlock <= this.to);
    const filter = logFilterOf(listening);
    if (filter.length === 0 || from > this.to) return;
    for (const log of await this.#chain.logs(from, this.to, filter)) this.#insert(log);
  }

  /** The logs of a block, by log index. @throws ReorgError when they are of another block of that number */
  of(block: { readonly number: number; readonly hash: string }): readonly Log[] {
    const logs = this.#byBlock.get(block.number) ?? none;
    if (logs.some((log) => log.block.hash !== block.hash || log.removed)) {
      throw new ReorgError(`the logs of block ${block.number} are of another block`);
    }
    return logs;
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
