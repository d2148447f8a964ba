/** The records of a state in their order: lines of a file, or rows of a table. `LogState` makes the state from them. */
export interface StateLog {
  /** How much it holds, in a unit of its own. */
  readonly size: number;
  /** A smaller log is never rewritten. */
  readonly leastLong: number;
  /** Adds records. They outlast this process once the promise resolves. */
  add(records: Iterable<object>): Promise<void>;
  /** Waits until all records outlast the machine. */
  sync(): Promise<void>;
  /** Replaces all records. A crash leaves the old ones or the new ones. */
  replace(records: Iterable<object>): Promise<void>;
  close(): Promise<void>;
}
