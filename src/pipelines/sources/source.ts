import type { Delta } from "../changes/delta.js";
import type { StoredQuery } from "../changes/stored-rows.js";

/** A block of a source that a reorganisation may still replace. */
export interface OpenBlock {
  readonly number: number;
  readonly hash: string;
}

/** How far a source has been read. */
export interface SourcePosition {
  /** The next block, or the next change of a feed. */
  readonly next: number;
  /** Blocks before it that may still be replaced, in order. A batch adds one at most, and undoes one at most. */
  readonly open: readonly OpenBlock[];
}

/** What happens in a range of blocks, or of changes of a feed. */
export interface SourceBatch {
  readonly from: number;
  readonly to: number;
  /** Whether the last open block is no longer on the chain: what was made of it is gone. The delta is empty then. */
  readonly isUndone: boolean;
  /** The rows that are new. A feed, which keeps what its rows were before, also has the deleted rows. */
  readonly delta: Delta;
  /** Where to continue after this batch. */
  readonly position: SourcePosition;
  /** Where the rows are, if they were not read. The delta is empty then. */
  readonly stored?: StoredBatch;
  /** Of a feed, whose positions are not blocks: the block that it has reached; null before the first. */
  readonly block?: number | null;
}

/** A range whose rows the SQL engine can read by itself. */
export interface StoredBatch {
  /** Reads the rows, with the columns of the source. */
  readonly rows: StoredQuery;
  /** The same range with its rows, in parts. */
  read(): AsyncIterable<SourceBatch>;
}

/** How much a batch may have whose rows are stored. */
export interface StoredLimits {
  /** About. */
  readonly rows: number;
  readonly blocks: number;
}

/** What a sink can take at once. */
export interface BatchLimits {
  /** The most blocks of a batch. A feed ignores it. */
  readonly blocks?: number | undefined;
  /** Set if rows may stay where they are. A source that has no stored rows ignores it. */
  readonly stored?: StoredLimits | undefined;
}

/** A source that is open for one sink. */
export interface Source {
  /**
   * What happened after a position, and then what happens. It ends for a source with a last block.
   * @param position `undefined` to start where the definition says
   */
  batches(position: SourcePosition | undefined, limits?: BatchLimits): AsyncIterable<SourceBatch>;
  /**
   * Told how far the sink has come: everything before this position is written and will not be asked for again. Batches
   * may be asked for long before that.
   */
  confirm?(next: number): void;
  /** Called once it has ended and the sink has written everything. */
  finish?(): Promise<void>;
}
