import type { Delta } from "../changes/delta.js";

/** What a source that does not keep its changes has given to a sink, as it was then. */
export interface SourceContents {
  /**
   * Gives the rows that a sink with a position should have, part by part: rows, and what is to be taken back of them.
   * @returns how much of them it could tell
   * @throws SourceError, and what `take` throws
   */
  read(position: number, take: (part: Delta) => Promise<void>): Promise<ContentsScope>;
}

/** How much is known of what a sink should have. */
export interface ContentsScope {
  /** Whether it is all. If not, other rows may be right as well. */
  readonly isWhole: boolean;
  /** Sentences about what is not known, and why. */
  readonly unproved: readonly string[];
}
