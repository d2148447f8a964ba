import type { Row, SqlFragment } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowColumn, RowSchema } from "../../changes/schema.js";
import type { LineageGuard } from "../../state/lineage-guard.js";
import type { SqlDialect, SqlPlace } from "../../state/sql.js";
import type { RowDifferences } from "../audit.js";
import type { RefusedRow } from "../sink.js";
import type { ColumnRules } from "./check-table.js";
import type { TargetTable } from "./target-table.js";

/** A column of the table that is written, with its type in SQL. */
export interface TargetColumn extends RowColumn {
  readonly sqlType: SqlFragment;
}

/** What happens to a row whose key the table already has. */
export type OnConflict = "update" | "nothing";

/** Where and how a sink writes. */
export interface TableOptions<Database> {
  readonly database: Database;
  readonly table: TargetTable;
  readonly schema: RowSchema;
  /** Types by column; null leaves a column out. */
  readonly overrides: ReadonlyMap<string, SqlFragment | null>;
  readonly onConflict: OnConflict;
  readonly owner: Pick<SqlPlace, "flow" | "sink">;
  readonly lineage?: LineageGuard | undefined;
  /** Whether columns are added to a table that lacks them. */
  readonly evolves?: boolean;
}

/** A table with the columns that are written into it. */
export interface WrittenTable {
  readonly table: TargetTable;
  readonly columns: readonly TargetColumn[];
  /** Names of columns; empty if rows have no key. */
  readonly key: readonly string[];
  readonly onConflict: OnConflict;
}

/** Writes changes within a transaction: deletions by key, then all others as one insert or update each. */
export type WriteChanges<Session> = (session: Session, changes: Changes) => Promise<void>;

/** A table that is compared with what should be in it. */
export interface ComparedTable extends Omit<WrittenTable, "onConflict"> {
  /** The number of sources. What should be there of each is in a table of its own. */
  readonly sources: number;
  /** The most rows to list one by one. */
  readonly most: number;
}

/** How the rows of a table are compared with those in the tables of what is expected. */
export interface Comparison {
  /** The table with what should be there of each source. They are made with the comparison, and have the types of the sink's. */
  readonly expected: readonly TargetTable[];
  /** Fills the table of differences, which is a new one. @param isWhole whether other rows are foreign */
  compare(isWhole: boolean): Promise<void>;
  /** Whether there are any differences. Drops their table. */
  differs(): Promise<boolean>;
  /** What the table of differences has. */
  found(): Promise<RowDifferences>;
  /** Makes the rows what they should be. */
  mend(): Promise<void>;
}

/** What can be closed. */
export interface Closing {
  close(): Promise<void>;
}

/**
 * What differs between the databases whose tables sinks write.
 * @template Session what runs statements: a database, or a transaction in it
 * @template Existing the description of an existing column
 */
export interface TableDialect<Session, Database extends Session & Closing, Existing = unknown> {
  /** The database's error as that of a sink; other errors as they are. */
  sinkError(error: unknown): unknown;
  /** Whether an error may be about a row. */
  isUnfit(error: unknown): error is Error;
  /** How the state of a sink is kept, which is beside its table. */
  state(table: TargetTable): SqlDialect<Session>;
  transaction<Result>(database: Database, work: (session: Session) => Promise<Result>): Promise<Result>;
  ask(session: Session, statement: SqlFragment): Promise<readonly Row[]>;
  quote(name: string): SqlFragment;
  /** A table in SQL. */
  name(table: TargetTable): SqlFragment;
  /** The columns of a table, by name; empty if it does not exist. */
  columnsOf(session: Session, table: TargetTable): Promise<ReadonlyMap<string, Existing>>;
  /** The columns of each unique index, by its name. */
  uniqueIndexes(session: Session, table: TargetTable): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The types of columns in a new table. @param key names of columns */
  newTypes(
    session: Session,
    columns: readonly RowColumn[],
    key: readonly string[],
  ): Promise<(column: RowColumn) => SqlFragment>;
  /**
   * Creates a table.
   * @param onCreate called in the same transaction, or before it where a table is created outside of transactions
   * @returns whether it is new; another sink may have created it meanwhile
   */
  create(
    database: Database,
    table: TargetTable,
    columns: readonly TargetColumn[],
    key: readonly string[],
    onCreate: (session: Session) => Promise<void>,
  ): Promise<boolean>;
  readonly rules: Pick<ColumnRules<Existing>, "typeOf"> & {
    /** Whether a column holds every value of a type, so that nothing is cut or rounded. */
    holds(existing: Existing, column: RowColumn, isKey: boolean): boolean;
  };
  /** Prepares to write a table. */
  writer(session: Session, into: WrittenTable): Promise<WriteChanges<Session>>;
  /** Finds the changes that the database refuses, outside of a transaction. Nothing of them is left. */
  refused(
    database: Database,
    into: WrittenTable,
    changes: Changes,
    write: WriteChanges<Session>,
  ): Promise<readonly RefusedRow[]>;
  readonly audits: {
    /** Does some work, and what it mends in one transaction. */
    run<Result>(database: Database, work: (session: Session) => Promise<Result>): Promise<Result>;
    /** Reads what is there at one moment, before others are kept from writing. */
    snapshot<Result>(
      database: Database,
      session: Session,
      work: (session: Session) => Promise<Result>,
    ): Promise<Result>;
    /** Keeps others from writing until the audit ends. @param holdState does so for the state of the sink */
    hold(session: Session, table: TargetTable, mends: boolean, holdState: () => Promise<void>): Promise<void>;
    compare(session: Session, table: ComparedTable): Promise<Comparison>;
    /**
     * Writes rows into a table of what is expected. If one does not fit, nothing is left behind that would harm.
     * @returns why not, as a clause
     */
    put(
      session: Session,
      into: WrittenTable,
      write: WriteChanges<Session>,
      changes: Changes,
    ): Promise<string | undefined>;
  };
}
