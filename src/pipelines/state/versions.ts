export interface StateRow {
  readonly kind: "writer" | "position" | "block" | "ledger" | "before" | "lineage" | "parked";
  /** Empty if the row is about the whole sink. */
  readonly source: string;
  /** The block, the first block of a ledger entry, or the number of a parked change; otherwise 0. */
  readonly number: number;
  /** JSON; `undefined` for a deleted row. */
  readonly value: unknown;
}

/**
 * The rows of a state in a database without transactions. Each row has a serial number. It replaces the row with the same
 * kind, source and number if its serial number is larger.
 *
 * Each method throws what the database throws.
 */
export interface VersionedRows {
  /** Makes sure that there is a table for the rows. */
  prepare(): Promise<void>;
  /** Whether there is a table for the rows. */
  exist(): Promise<boolean>;
  /** The current rows of some kinds, by number. @param source leaves out other sources */
  read(kinds: readonly StateRow["kind"][], source?: string): Promise<readonly StateRow[]>;
  /** The largest serial number, which may belong to a replaced or deleted row; 0 if there are no rows. */
  lastSerial(): Promise<number>;
  /** Writes all of the rows or none of them. @param id names the statement while it runs */
  write(rows: readonly StateRow[], serial: number, id: string): Promise<void>;
  /** Deletes the rows of some kinds; without them, all rows. */
  delete(kinds?: readonly StateRow["kind"][]): Promise<void>;
}
