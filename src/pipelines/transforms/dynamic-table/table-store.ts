import type { SourcePosition } from "../../sources/source.js";

/** The block from which on each value counts; 0 for values that others wrote. */
export type TableValues = Map<string, number>;

/** The filler of a table. */
export interface TableOwner {
  readonly flow: string;
  /** What determines the values: a table that was filled in another way is refused. */
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

/** The changes of a table from a batch of its source. */
export interface TableStep {
  /** Values that were not there, each with its block. */
  readonly added: TableValues;
  /** The first block whose values are removed, with all later ones; `undefined` if none are. */
  readonly undone: number | undefined;
  readonly position: SourcePosition;
}

/** The store of a table that a query fills. Every method throws SinkError. */
export interface TableStore {
  load(): Promise<KeptTable>;
  /** Writes values and position together. */
  write(step: TableStep): Promise<void>;
  /** The values again, if the last time is long enough ago; others may have changed them. */
  reload(): Promise<TableValues | undefined>;
  close(): Promise<void>;
}
