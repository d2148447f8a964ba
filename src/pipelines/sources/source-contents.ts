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

/** What a source gives now, for a sink with a position that the source does not know, as after a restore. */
export interface AdoptedContents extends SourceContents {
  /** Notes that a position means what `read` has given. Call it once the sink has these rows. @throws SourceError */
  settle(position: number): Promise<void>;
  /** Releases what it has begun to keep, unless that was settled. @throws SourceError */
  end(): Promise<void>;
}

/** How much is certain about what a sink should have. */
export interface ContentsScope {
  /** Whether it is all. If not, other rows may be right as well. */
  readonly isWhole: boolean;
  /** Sentences about what is not known, and why. */
  readonly unproved: readonly string[];
}
