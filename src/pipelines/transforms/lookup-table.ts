import type { RowVersion } from "../changes/rows.js";

/** The blocks that rows of a source come from. */
export interface RowsPlace {
  readonly from: number;
  readonly to: number;
  /** The hash of the only block, if it may still be replaced; `undefined` for final blocks. */
  readonly hash?: string | undefined;
}

/** Values that queries look up. */
export interface LookupTable {
  /**
   * Brings the table up to rows of these blocks. Values that others write are read again after some time.
   * @param place `undefined` for rows without a block
   * @throws SinkError, and errors of its source and query
   */
  prepare(place: RowsPlace | undefined): Promise<void>;
  /** The block from which on it has a value; 0 if it always has it, `undefined` if it does not. */
  since(value: string): number | undefined;
  /** The versions of the row with a key, oldest first, of a table with rows. */
  versions?(key: readonly string[]): readonly RowVersion[];
  /** How often values were removed because blocks were undone. Earlier answers may no longer hold. */
  undone?(): number;
  close(): Promise<void>;
}

/** A table with whose rows queries join. */
export interface RowTable {
  /**
   * Begins to compute rows of these blocks. What was read before may be read again.
   * @param place `undefined` for rows without a block
   */
  prepare(place: RowsPlace | undefined): Promise<void>;
  /** The versions of the row with a key, oldest first; `undefined` as long as they are not known. */
  versions(key: readonly string[]): readonly RowVersion[] | undefined;
  /** Finds out about rows with some keys. @throws TransformError */
  load(keys: readonly (readonly string[])[]): Promise<void>;
  close(): Promise<void>;
}
