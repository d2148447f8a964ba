import type { Sql } from "../../store/database/database.js";
import { quoteName } from "../../store/database/quote.js";
import type { Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";

/** What statements call the file. */
export const fileName = quoteName("graphloom$file");

/** A DuckDB database file that is open. No other process can open it meanwhile. A statement by itself is a transaction. */
export interface DuckDbFile extends DuckDbSession {
  /**
   * Runs work in a transaction, after those of all others in this process that use the file. Commits it if the work succeeds,
   * and rolls it back if the work throws. An error of a statement ends the transaction: nothing else succeeds in it.
   * @throws DuckDbError, and what the work throws
   */
  transaction<Result>(work: (session: DuckDbSession) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** What runs statements in a DuckDB file. They have texts as parameters, and all values come back as texts. */
export interface DuckDbSession extends Pick<Sql, "query"> {
  /** Makes a temporary table that has these rows and no others. It stays until the file is closed. @throws DuckDbError */
  fill(table: string, columns: readonly RowColumn[], rows: Rows): Promise<void>;
}

/** What DuckDB says of a statement, or why a file cannot be opened. */
export class DuckDbError extends Error {
  override readonly name = "DuckDbError";
  /** What DuckDB calls it, such as `Conversion` or `IO`. */
  readonly kind: string;

  constructor(message: string, kind: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }

  /** Whether the values of a row do not fit. */
  get isOfRow(): boolean {
    return rowKinds.has(this.kind);
  }

  /** Whether it may pass: another process has the file, or the disk is full. */
  get mayPass(): boolean {
    return this.kind === "Lock" || this.kind === "IO";
  }
}

const rowKinds: ReadonlySet<string> = new Set(["Constraint", "Conversion", "Invalid Input", "Out of Range"]);
