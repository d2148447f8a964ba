/** How a column's values are stored, and their form in memory. */
export type ColumnType =
  /** UTF-8; `string`. */
  | "string"
  /** A signed 64-bit integer; `bigint`. */
  | "long"
  /** A 64-bit float; `number`. */
  | "double"
  /** Bytes; in memory lower-case hex with "0x". */
  | "hex"
  /** A list of UTF-8 strings; `readonly string[]`. */
  | "strings"
  /** `boolean` */
  | "boolean"
  /** Microseconds since 1970; `bigint`. */
  | "timestamp";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Whether values may be null. */
  readonly nullable?: boolean;
}

export type ColumnValue = string | bigint | number | boolean | readonly string[] | null;

/** Rows by column: each list has one value per row. */
export type ColumnValues = Readonly<Record<string, readonly ColumnValue[]>>;
