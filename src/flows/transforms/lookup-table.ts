/** Values that queries look up, and that others may change meanwhile. */
export interface LookupTable {
  /**
   * Reads the values again, if the last time is long enough ago.
   * @throws SinkError
   */
  refresh(): Promise<void>;
  /** Whether the value was there when the table was last read. */
  has(value: string): boolean;
  close(): Promise<void>;
}
