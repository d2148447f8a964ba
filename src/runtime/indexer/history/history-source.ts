import type { Block, Log, LogFilter } from "../../chain/chain.js";
import type { BlockRange } from "../logs/tails.js";

/** A final block as a source of history returns it. */
export interface HistoryBlock {
  /** It has the transactions of `logs`, and no others. */
  readonly block: Block;
  /** The logs of the block that match the requested filter, in order. */
  readonly logs: readonly Log[];
}

/**
 * A service that serves ranges of final blocks, so that a node need not be asked for each of them. It is believed only as
 * far as `History` has checked it against the node.
 */
export interface HistorySource {
  /** Identifies the service in messages and in an archive. It contains no secrets. */
  readonly name: string;
  /** The last block that the service can serve now; negative if it cannot serve any. Never rejects for a failure. */
  reach(): Promise<number>;
  /**
   * All blocks of a range, each following the one before it, with the logs that match a filter.
   * @returns `undefined` if the service does not serve the range. It has reported why
   */
  blocks(range: BlockRange, filter: LogFilter): Promise<readonly HistoryBlock[] | undefined>;
  /** Stops using the service, and reports why. */
  refuse(why: string): void;
  /** Drops what was read ahead, because the run goes back. */
  forget(): void;
}
