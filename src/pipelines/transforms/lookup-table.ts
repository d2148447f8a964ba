/** The blocks of a source that rows come from. */
export interface RowsPlace {
  readonly from: number;
  readonly to: number;
  /** The hash of the only block, if it may still be replaced; `undefined` for final blocks. */
  readonly hash?: string | undefined;
}

/** Values that queries look up. */
export interface LookupTable {
  /**
   * Makes sure that it has what it holds for rows of these blocks. Values that others write are read again if the last time
   * is long enough ago.
   * @param place `undefined` for rows that are of no block
   * @throws SinkError, and what its source and its query throw
   */
  prepare(place: RowsPlace | undefined): Promise<void>;
  /** The block from which on it has a value; 0 if it always has, `undefined` if it does not have it. */
  since(value: string): number | undefined;
  /** How often values were taken back since blocks were undone. Answers before that need not hold. */
  undone?(): number;
  close(): Promise<void>;
}
