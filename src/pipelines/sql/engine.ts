import type { Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { StoredQuery, StoredRows } from "../changes/stored-rows.js";
import type { AddedFunction } from "./sql-function.js";

/** The outcome of parsing a query. Offsets are UTF-16 units in its text. */
export type ParsedQuery =
  | { readonly kind: "tree"; readonly tree: unknown }
  | {
      readonly kind: "fault";
      readonly message: string;
      /** What to do. */
      readonly hint?: string | undefined;
      readonly offset: number | undefined;
    };

/** A query that the engine refuses, or that cannot be computed, in words for the user. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  /** Where the engine sees the fault: a UTF-16 offset in the query. */
  readonly offset: number | undefined;
  /** What to do. */
  readonly hint: string | undefined;
  /** Whether the query has taken too long, whatever its rows are. */
  readonly isLate: boolean;

  constructor(
    message: string,
    {
      offset,
      hint,
      isLate = false,
    }: {
      readonly offset?: number | undefined;
      readonly hint?: string | undefined;
      readonly isLate?: boolean;
    } = {},
  ) {
    super(message);
    this.offset = offset;
    this.hint = hint;
    this.isLate = isLate;
  }
}

/** Stored rows that cannot be read. Their values may still be readable in another way. */
export class StoredReadError extends Error {
  override readonly name = "StoredReadError";
}

/** A table or view, and its columns. */
export interface NamedRows {
  readonly name: string;
  readonly columns: readonly RowColumn[];
}

/** The engine's own functions. */
export interface KnownFunctions {
  readonly all: ReadonlySet<string>;
  /** Functions that compute one value from many rows. */
  readonly aggregates: ReadonlySet<string>;
  /** Functions that answer differently each time. */
  readonly volatile: ReadonlySet<string>;
}

/** Properties of a table besides its columns. */
export interface TableExtras {
  /** A condition in SQL; other rows are left out. */
  readonly condition?: string | undefined;
  /** Further columns, each of which holds `i` in every row. */
  readonly operations?: readonly string[];
}

/** Rows in which queries look up. */
export type LookedUpRows =
  | {
      /** A query that lists them, and what makes the tree of the list of its full one. */
      readonly query: string;
      readonly change: (tree: unknown) => unknown;
      /** Names of columns. Missing ones are named by the list. */
      readonly columns: readonly string[];
    }
  | { readonly rows: Rows; readonly columns: readonly RowColumn[] };

/**
 * A database in memory for one pipeline. Users' queries cannot reach files, the network or extensions. Only
 * `takeFrom` reads files, in another database that can reach nothing but copies of these files.
 */
export interface SqlEngine {
  /** How many calls of `takeFrom` it computes at once. Others wait. */
  readonly storedAtOnce: number;
  /** How many rows a call of `takeFrom` has memory for, about. */
  readonly mostStored: number;
  /** Parses a text into a syntax tree, or returns the reason for a failure. */
  parse(text: string): Promise<ParsedQuery>;
  /** The engine's own functions, by name in lower case. */
  functions(): Promise<KnownFunctions>;
  /** Adds a function. */
  define(added: AddedFunction): Promise<void>;
  /**
   * Creates an empty table. A dot in the name separates the schema from the table.
   * @throws QueryError for a condition that does not fit
   */
  createTable(name: string, columns: readonly RowColumn[], extras?: TableExtras): Promise<void>;
  /**
   * Creates a view, or replaces it, and says which columns it has.
   * @param change makes another syntax tree of the full one of the query, which is checked before
   * @throws QueryError
   */
  createView(name: string, query: string, change?: (tree: unknown) => unknown): Promise<readonly RowColumn[]>;
  /** Creates a table of rows to look up, after an empty row, and says which columns it has. @throws QueryError */
  createLookup(name: string, rows: LookedUpRows): Promise<readonly RowColumn[]>;
  /** Adds rows to such a table. Their numbers follow those of the rows before. */
  extendLookup(name: string, columns: readonly RowColumn[], rows: Rows): Promise<void>;
  /** Adds rows to a table. */
  append(name: string, columns: readonly RowColumn[], rows: Rows): Promise<void>;
  /**
   * Computes a table or view once, and keeps the rows in a reproducible order.
   * @param isOrdered whether to keep the order of the view; otherwise it orders by all columns
   * @returns the number of rows
   * @throws QueryError as `rowsOf` does
   */
  compute(name: string, isOrdered: boolean): Promise<number>;
  /** Some computed rows, from one number to before another. */
  computedRows(name: string, columns: readonly RowColumn[], from: number, before: number): Promise<Rows>;
  /** Replaces the rows of a table. */
  fill(name: string, columns: readonly RowColumn[], rows: Rows): Promise<void>;
  /**
   * All rows of a table or view, or some.
   * @param most how many at most
   * @throws QueryError if a value cannot be computed, or if the query takes too long or too much memory
   */
  rowsOf(name: string, columns: readonly RowColumn[], most?: number): Promise<Rows>;
  /** How many rows some tables or views have, by name. @throws QueryError as `rowsOf` */
  countsOf(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Computes a table or view from stored rows, without reading their values here, while all other tables are empty.
   * Tables and views cannot be added to the engine afterwards.
   * @param given has the columns of the table
   * @param table the table that the rows belong to
   * @param key names of columns
   * @throws StoredReadError if they cannot be read or computed, or if there are too many
   */
  takeFrom(given: StoredQuery, table: string, result: NamedRows, key: readonly string[]): Promise<StoredRows>;
  /**
   * How many rows some tables or views have, as for `takeFrom`.
   * @throws StoredReadError
   */
  countsFrom(
    given: StoredQuery,
    table: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, number>>;
  close(): void;
}
