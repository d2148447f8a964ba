import type { SourcePosition } from "../../sources/source.js";

/** The blocks from which on a table has its values; 0 for values that others have put in. */
export type TableValues = Map<string, number>;

/** Who fills a table. */
export interface TableOwner {
  readonly flow: string;
  /** What determines the values: a table that was filled otherwise is refused. */
  readonly lineage: string;
  /** Whether it is only read, since another process may be filling it. */
  readonly isReadOnly: boolean;
}

/** The saved state of a table that a query fills. */
export interface KeptTable {
  readonly values: TableValues;
  /** Where the query's source continues; `undefined` if it has not been read. */
  readonly position: SourcePosition | undefined;
}

/** What a batch of a source changes in a table. */
export interface TableStep {
  /** Values that were not there, each with its block. */
  readonly added: TableValues;
  /** The block whose values are gone, and those of all after it; `undefined` if none is. */
  readonly undone: number | undefined;
  readonly position: SourcePosition;
}

/** Where a table that a query fills is kept. Every method throws SinkError. */
export interface TableStore {
  load(): Promise<KeptTable>;
  /** Writes values and position together. */
  write(step: TableStep): Promise<void>;
  /** The values again, if the last time is long enough ago; others may have changed them. */
  reload(): Promise<TableValues | undefined>;
  close(): Promise<void>;
}
