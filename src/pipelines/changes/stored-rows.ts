import type { Compression } from "../../datasets/parquet/compression.js";
import type { Rows, RowValue } from "./rows.js";

/** Rows in files. */
export interface StoredQuery {
  /** Absolute paths. The files may no longer exist. */
  readonly files: readonly string[];
  /** SQL of ours that reads them. @param at where a file is, for the engine */
  query(at: (path: string) => string): string;
}

/** The file that stored rows are written to: Parquet with the columns of the rows; integers of 256 bits are text. */
export interface CopyForm {
  readonly format: "parquet";
  readonly about: Readonly<Record<string, string>>;
  /** Snappy by default. */
  readonly compression?: Compression | undefined;
  /** About how many rows a row group has. */
  readonly groupRows?: number | undefined;
  /** Only the rows that have these values in some columns, without these columns. */
  readonly only?: { readonly names: readonly string[]; readonly values: readonly RowValue[] };
}

/** How stored rows are written as CSV. */
export interface CsvForm {
  /** The text for a missing value, not quoted; the empty text if absent. */
  readonly missing?: string;
  /** Further values, the same in every line. */
  readonly after?: readonly number[];
}

/** The limits of a column's values. */
export interface ColumnLimit {
  readonly name: string;
  /** Whether none may be missing. */
  readonly isFilled: boolean;
  /** The range of integers of 256 bits. */
  readonly range?: { readonly low: bigint; readonly high: bigint } | undefined;
}

/** Facts about all stored rows. */
export interface StoredFacts {
  readonly count: number;
  /** As `sumOfRows` computes it. */
  readonly sum: bigint;
  /** Whether no two rows have the same key. */
  readonly isUnique: boolean;
}

/** Rows in the SQL engine, whose values do not have to enter the memory of this process one by one. */
export interface StoredRows {
  /** How many they are. */
  readonly count: number;
  /** The facts about all rows, computed once. @throws StoredReadError if there is no memory for it */
  facts(): Promise<StoredFacts>;
  /** Whether all values are within limits. */
  isWithin(limits: readonly ColumnLimit[]): Promise<boolean>;
  /** The same rows by column. */
  rows(): Promise<Rows>;
  /**
   * The values of some columns that occur together, in any order.
   * @param most how many at most
   */
  valuesOf(names: readonly string[], most: number): Promise<readonly (readonly RowValue[])[]>;
  /** Writes them to a file. @param path absolute; a file of that name is replaced */
  copyTo(path: string, form: CopyForm): Promise<void>;
  /**
   * Their values as CSV in UTF-8, a line for each row. Texts are in quotes, so anything else is a number or missing.
   * @param names of columns whose values have one text: no lists, times or numbers with a floating point
   * @returns pieces, each of which is overwritten when the next one is requested
   */
  csv(names: readonly string[], form?: CsvForm): AsyncIterable<Uint8Array>;
  /**
   * Their values as array literals of PostgreSQL, a text for each column, in pieces.
   * @param names of columns whose values have one text: no lists, times or numbers with a floating point
   * @param size rows in a piece
   */
  arrays(names: readonly string[], size: number): AsyncIterable<readonly string[]>;
  /** Releases the rows. */
  drop(): Promise<void>;
}
