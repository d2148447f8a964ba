/**
 * The type of a column, and its values in memory:
 *
 * - `STRING`, `JSON`: `string`
 * - `LONG`: `bigint`, a signed integer of 64 bits
 * - `DOUBLE`: `number`
 * - `DECIMAL`: `string`, decimal digits of an integer of up to 256 bits
 * - `NUMERIC`: `string`, a decimal number of any size, with or without a fraction
 * - `BOOLEAN`: `boolean`
 * - `TIMESTAMP`: `bigint`, microseconds since 1970
 * - `ARRAY<STRING>`: `readonly string[]`
 */
export type ValueType =
  | "STRING"
  | "JSON"
  | "LONG"
  | "DOUBLE"
  | "DECIMAL"
  | "NUMERIC"
  | "BOOLEAN"
  | "TIMESTAMP"
  | "ARRAY<STRING>";

/** A column of rows on their way through a pipeline. */
export interface RowColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
}

/** The columns of rows, and the columns that identify a row. */
export interface RowSchema {
  readonly columns: readonly RowColumn[];
  /** Names of columns; empty if rows have no key. */
  readonly key: readonly string[];
}
