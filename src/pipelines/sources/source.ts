import type { Delta } from "../changes/delta.js";
import type { StoredQuery } from "../changes/stored-rows.js";

/** A block of a source that a reorganisation may still replace. */
export interface OpenBlock {
  readonly number: number;
  readonly hash: string;
}

/** How far a source, or a part of one, has been read. */
export interface SourcePosition {
  /** The next block, the next change of a feed, or the next offset of a topic's partition. */
  readonly next: number;
  /** Blocks before it that may still be replaced, in order. A batch adds at most one, and undoes at most one. */
  readonly open: readonly OpenBlock[];
}

/** The changes in a range of blocks, or in a range of a feed's changes. */
export interface SourceBatch {
  readonly from: number;
  readonly to: number;
  /** Whether the last open block is no longer on the chain: its results must be removed. The delta is empty then. */
  readonly isUndone: boolean;
  /** The rows that are new. A feed, which keeps what its rows were before, also has the deleted rows. */
  readonly delta: Delta;
  /** Where to continue after this batch. */
  readonly position: SourcePosition;
  /** Where the rows are, if they were not read. The delta is empty then. */
  readonly stored?: StoredBatch;
  /** For a feed, whose positions are not blocks: the last block that it has reached; null before the first. */
  readonly block?: number | null;
  /** Messages of a topic that could not be read and are kept aside; none if absent. */
  readonly unread?: readonly UnreadMessage[];
  /** The part of the source that it comes from, by the name that positions have for it; absent without parts. */
  readonly part?: string;
}

/** A message that could not be read. */
export interface UnreadMessage {
  readonly offset: number;
  /** As a sentence without its full stop. */
  readonly why: string;
}

/** A range whose rows the SQL engine can read itself. */
export interface StoredBatch {
  /** Reads the rows, with the columns of the source. */
  readonly rows: StoredQuery;
  /** The same range with its rows, in parts. */
  read(): AsyncIterable<SourceBatch>;
}

/** The limits of a batch with stored rows. */
export interface StoredLimits {
  /** About. */
  readonly rows: number;
  readonly blocks: number;
}

/** The limits of a batch that a sink accepts. */
export interface BatchLimits {
  /** The most blocks of a batch. A feed ignores it. */
  readonly blocks?: number | undefined;
  /** The most rows of a batch of several blocks, or the most messages. A feed ignores it. */
  readonly rows?: number | undefined;
  /** Set if rows may stay where they are. A source that has no stored rows ignores it. */
  readonly stored?: StoredLimits | undefined;
}

/** A source that is open for one sink. */
export interface Source {
  /**
   * Past changes after a position, then new changes. Ends for a source with a last block.
   * @param position `undefined` to start where the definition says
   * @param parts the positions of its parts, for a source in parts; those without one start where the definition says
   */
  batches(
    position: SourcePosition | undefined,
    limits?: BatchLimits,
    parts?: ReadonlyMap<string, SourcePosition>,
  ): AsyncIterable<SourceBatch>;
  /**
   * Called with the sink's position: everything before it is written and will not be requested again. Batches may be
   * requested long before that.
   */
  confirm?(next: number): void;
  /** Called once it has ended and the sink has written everything. */
  finish?(): Promise<void>;
}
