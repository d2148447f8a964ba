import type { Delta } from "../changes/delta.js";

/** What a source without a history has delivered to a sink, as of that time. */
export interface SourceContents {
  /**
   * Returns the rows that a sink at a position should have, part by part: rows, and changes to revert in them.
   * @returns how much it could determine
   * @throws SourceError, and errors of `take`
   */
  read(position: number, take: (part: Delta) => Promise<void>): Promise<ContentsScope>;
}

/** A source's current rows, for a sink with a position that the source does not know, as after a restore. */
export interface AdoptedContents extends SourceContents {
  /**
   * Records that a position stands for the rows from `read`. Call it once the sink has these rows. @throws
   * SourceError
   */
  settle(position: number): Promise<void>;
  /**
   * Releases the reading that it has begun, unless it was settled.
   * @throws SourceError
   */
  end(): Promise<void>;
}

/** How much is known about the rows that a sink should have. */
export interface ContentsScope {
  /** Whether this is everything. If not, other rows may be right as well. */
  readonly isWhole: boolean;
  /** Sentences about what is unknown, and why. */
  readonly unproved: readonly string[];
}
