import type { Delta } from "../changes/delta.js";
import type { Rows } from "../changes/rows.js";

/** A block that a reorganisation may still replace, with the rows that a source made of it. */
export interface OpenRows {
  readonly number: number;
  readonly hash: string;
  readonly rows: Rows;
}

/** How far a source has been read. */
export interface SourcePosition {
  /** The next block. */
  readonly next: number;
  /** Blocks before it that may still be replaced, in their order. */
  readonly open: readonly OpenRows[];
}

/** What happens in a range of blocks. */
export interface SourceBatch {
  readonly from: number;
  readonly to: number;
  readonly delta: Delta;
  /** Where to continue after this batch. */
  readonly position: SourcePosition;
}

/** A source that is open for one sink. */
export interface Source {
  /**
   * What happened after a position, and then what happens. It ends for a source with a last block.
   * @param position `undefined` to start where the definition says
   */
  batches(position: SourcePosition | undefined): AsyncIterable<SourceBatch>;
}
