import type { BlockPointer, Log, LogFilter } from "../chain/chain.js";
import type { BlockRange } from "./logs/tails.js";
import type { VerifyMode } from "./logs/verification.js";

/** The confirmed logs of a range, and the blocks with which they were confirmed. */
export interface KeptLogs {
  readonly range: BlockRange;
  readonly filter: LogFilter;
  readonly proof: VerifyMode;
  /** The source of history that returned them; absent for the node. */
  readonly source?: string;
  /** All that match the filter. */
  readonly logs: readonly Log[];
  /**
   * Blocks up to this one can no longer be replaced. Among later ones, only the `blocks` surely have no other logs.
   */
  readonly settledTo: number;
  readonly blocks: readonly BlockPointer[];
}

/** Keeps the chain data that runs read, so that nothing is fetched twice. */
export interface RunArchive {
  /** The last block with kept logs; negative if there are none. Requested ranges end there, too. */
  readonly reach: number;
  /**
   * The confirmed logs of a range that match a filter, by block and log index; `undefined` unless all of them were kept,
   * proved at least as well as `proof` says.
   */
  knownLogs(range: BlockRange, filter: LogFilter, proof: VerifyMode): Promise<readonly Log[] | undefined>;
  /** Whether it has a block, which was proved before it was kept. */
  has(block: BlockPointer): Promise<boolean>;
  /** Keeps the confirmed logs of a range. */
  keepLogs(kept: KeptLogs): Promise<void>;
  /** Keeps a block that was run, with everything that was read at it. */
  keepBlock(block: BlockPointer): Promise<void>;
  /** Forgets reads that are not kept yet: the chain has reorganised, or the node contradicts itself. */
  forget(): void;
}
