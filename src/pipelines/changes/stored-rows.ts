import type { Rows, RowValue } from "./rows.js";

/** Rows that are in files. */
export interface StoredQuery {
  /** Absolute paths. They may be gone. */
  readonly files: readonly string[];
  /** SQL of ours that reads them. @param at where a file is, for the engine */
  query(at: (path: string) => string): string;
}

/** The file that stored rows are written to: Parquet with the columns of the rows; integers of 256 bits are text. */
export interface CopyForm {
  readonly format: "parquet";
  readonly about: Readonly<Record<string, string>>;
  /** Only the rows that have these values in some columns, without these columns. */
  readonly only?: { readonly names: readonly string[]; readonly values: readonly RowValue[] };
}

/** How stored rows are written as CSV. */
export interface CsvForm {
  /** What stands for a missing value; the empty text if absent. It is not quoted, unlike texts. */
  readonly missing?: string;
  /** Further values of each line, the same in all of them. */
  readonly after?: readonly number[];
}

/** What the values of a column have to be. */
export interface ColumnLimit {
  readonly name: string;
  /** Whether none may be missing. */
  readonly isFilled: boolean;
  /** The range of integers of 256 bits. */
  readonly range?: { readonly low: bigint; readonly high: bigint } | undefined;
}

/** What stored rows are together. */
export interface StoredFacts {
  readonly count: number;
  /** As `sumOfRows` computes it. */
  readonly sum: bigint;
  /** Whether no two rows have the same key. */
  readonly isUnique: boolean;
}

/** Rows that the SQL engine holds, so that their values need not come into the memory of this process one by one. */
export interface StoredRows {
  /** How many they are. */
  readonly count: number;
  /** The facts about all rows together, computed once. @throws StoredReadError if there is no memory for it */
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
   * Their values as CSV in UTF-8, a line for each row. Texts are in quotes, so what is not is missing or a
   * number.
   * @param names of columns whose values have one text: no lists, times or numbers with a floating point
   * @returns pieces, each of which is overwritten once the next one is asked for
   */
  csv(names: readonly string[], form?: CsvForm): AsyncIterable<Uint8Array>;
  /**
   * Their values as array literals of PostgreSQL, a text for each column, in pieces.
   * @param names of columns whose values have one text: no lists, times or numbers with a floating point
   * @param size rows of a piece
   */
  arrays(names: readonly string[], size: number): AsyncIterable<readonly string[]>;
  /** Releases the rows. */
  drop(): Promise<void>;
}
