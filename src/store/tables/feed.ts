import type { Row, Sql } from "../database/database.js";

/**
 * A position in a feed. Small; later positions compare greater as strings. Store it together with the result of the
 * changes.
 */
export type Cursor = string;

export interface RowChange {
  /** The position after this change. */
  readonly cursor: Cursor;
  /** Insert, update or delete. */
  readonly op: "i" | "u" | "d";
  readonly table: string;
  /** The block of the change; for a reorganisation, the block that is reverted. */
  readonly block: number;
  /** The vid of the version that started, or of the one that ended without a successor. */
  readonly vid: bigint;
  /**
   * Names the block of the change and the reversals before it. Follows from the chain, so it is the same again in a
   * database that was restored from a backup. Missing for changes that an older version has logged.
   */
  readonly origin?: string;
  /** The row before, for `u` and `d`: vid and fields by column name. */
  readonly old?: Row;
  /** The row after, for `i` and `u`. */
  readonly new?: Row;
}

/** The contents of the tables at a block, and the feed position from which changes follow. */
export interface Snapshot {
  /** The last block whose changes it contains; nothing before the first. */
  readonly block: number | undefined;
  readonly cursor: Cursor;
  /** Names the block and the reversals before it, as for changes. */
  readonly origin: string;
  /**
   * All rows, page by page, by table and vid.
   * @throws SnapshotLost if the chain reverts to below the block, or the block becomes older than the kept history:
   *   start again
   */
  pages(size?: number): AsyncIterable<SnapshotPage>;
}

/** A page of rows of a table. */
export interface SnapshotPage {
  readonly table: string;
  readonly rows: readonly Row[];
  /** The block in which each row started. */
  readonly blocks: readonly number[];
}

/** The changes in a deployment's tables for one named reader, which can continue after a restart. */
export interface Feed {
  /**
   * The position from which the reader continues; `undefined` if it has never started. @throws DatabaseError
   */
  cursor(): Promise<Cursor | undefined>;
  /**
   * The position after the last change in any table, including tables that the reader does not follow. A reader that
   * has read all its changes up to this position should keep it, so that other tables' changes can be dropped.
   * @throws DatabaseError
   */
  latest(): Promise<Cursor>;
  /**
   * Starts with the next change, if it has never started.
   * @returns the position from which the reader continues
   * @throws DatabaseError
   */
  start(): Promise<Cursor>;
  /** Starts, or starts again, from the current contents. @throws DatabaseError */
  begin(): Promise<Snapshot>;
  /**
   * The changes after a position, in order. A reorganisation appears as ordinary changes, newest first.
   * @throws DatabaseError
   */
  changes(after: Cursor, limit: number): Promise<readonly RowChange[]>;
  /**
   * Confirms everything up to a position. Changes that all readers have confirmed are dropped.
   * @param sql the transaction that stores what the changes became; without it, one of its own
   * @throws DatabaseError
   */
  keep(cursor: Cursor, sql?: Sql): Promise<void>;
  /** Removes the reader for good. @throws DatabaseError */
  end(): Promise<void>;
}

/** The block of a snapshot vanished during reading: the chain reverted, or its history was pruned. */
export class SnapshotLost extends Error {
  override readonly name = "SnapshotLost";
}
