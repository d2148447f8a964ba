import type { Row } from "../database/database.js";

/**
 * A place in a feed. Small, and later places are greater as texts; to be kept with what was made of the changes.
 */
export type Cursor = string;

/** What happened to a row of a table. */
export interface RowChange {
  /** Where the feed goes on after it. */
  readonly cursor: Cursor;
  /** Inserted, updated, deleted. */
  readonly op: "i" | "u" | "d";
  readonly table: string;
  /** Of the change; of what is taken back, when a reorganisation does it. */
  readonly block: number;
  /** Of the version that began, or of the one that ended without another. */
  readonly vid: bigint;
  /** The row before, for `u` and `d`: vid and fields by the names of columns. */
  readonly old?: Row;
  /** The row after, for `i` and `u`. */
  readonly new?: Row;
}

/** What is in the tables at a block, and the place in the feed from where changes follow it. */
export interface Snapshot {
  /** The last block whose changes are in it; nothing before the first. */
  readonly block: number | undefined;
  readonly cursor: Cursor;
  /**
   * All rows, page by page, in the order of tables and vids.
   * @throws SnapshotLost when the chain goes back below the block, or it gets older than the history that is kept:
   * begin again
   */
  pages(size?: number): AsyncIterable<SnapshotPage>;
}

/** Some rows of a table. */
export interface SnapshotPage {
  readonly table: string;
  readonly rows: readonly Row[];
  /** The block in which each of the rows began. */
  readonly blocks: readonly number[];
}

/** What changes in the tables of a deployment, for one reader, who is known by a name and goes on after a restart. */
export interface Feed {
  /** From where the reader has to go on; nothing when it has never begun. @throws DatabaseError */
  cursor(): Promise<Cursor | undefined>;
  /**
   * The place after the last change that there is in any table, whether the reader has it or not: for who has read all
   * changes of their tables up to it, and keeps it, so that those of others can be dropped.
   * @throws DatabaseError
   */
  latest(): Promise<Cursor>;
  /** Begins, or begins again: with what there is. @throws DatabaseError */
  begin(): Promise<Snapshot>;
  /**
   * The changes after a place, in order. A reorganisation is in it as ordinary changes, newest first.
   * @throws DatabaseError
   */
  changes(after: Cursor, limit: number): Promise<readonly RowChange[]>;
  /** Everything up to a place was taken care of: once all readers are beyond it, it is dropped. @throws DatabaseError */
  keep(cursor: Cursor): Promise<void>;
  /** The reader is not coming back. @throws DatabaseError */
  end(): Promise<void>;
}

/** The block of a snapshot that was being read is no longer there: the chain went back, or its history was cut. */
export class SnapshotLost extends Error {
  override readonly name = "SnapshotLost";
}
