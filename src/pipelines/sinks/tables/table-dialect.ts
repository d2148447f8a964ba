import type { Row, SqlFragment } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowColumn, RowSchema } from "../../changes/schema.js";
import type { StoredRows } from "../../changes/stored-rows.js";
import type { LineageGuard } from "../../state/lineage-guard.js";
import type { SqlDialect, SqlPlace } from "../../state/sql.js";
import type { RowDifferences } from "../audit.js";
import type { RefusedRow, StoredWriting } from "../sink.js";
import type { ColumnRules } from "./check-table.js";
import type { TargetTable } from "./target-table.js";

/** A column of the table that is written, with its type in SQL. */
export interface TargetColumn extends RowColumn {
  readonly sqlType: SqlFragment;
}

/** What happens to a row whose key the table already has. */
export type OnConflict = "update" | "nothing";

/** Where and how a sink writes. */
export interface TableOptions<Session, Database> {
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
  /** Another table to write in the same transactions. */
  readonly beside?: BesideTable<Session, Database>;
}

/** A table that follows the sink's own, in the same transactions. */
export interface BesideTable<Session, Database> {
  readonly table: TargetTable;
  /**
   * Creates the table if it does not exist, after the sink's own.
   * @param isNew whether no rows were written yet
   * @param onCreate called in the transaction that creates the table
   */
  prepare(database: Database, isNew: boolean, onCreate: (session: Session) => Promise<void>): Promise<void>;
  /**
   * Writes the changes, and what they mean for this table.
   * @param write writes the changes
   */
  around(
    session: Session,
    changes: Changes,
    columns: readonly TargetColumn[],
    write: () => Promise<void>,
  ): Promise<void>;
  /** Keeps others from writing this table until the transaction ends. */
  lock(session: Session): Promise<void>;
  /** Opens this table for an audit, within a transaction. @param most how many rows to report one by one @throws SinkError */
  audit(session: Session, most: number): Promise<BesideAudit>;
}

/** Compares a table with the one that it follows. */
export interface BesideAudit {
  /** @param rows the expected rows of the other table, as SQL; valid until the first repair */
  compare(rows: SqlFragment): Promise<RowDifferences>;
  /** Corrects the table. */
  mend(): Promise<void>;
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
  /** The rows after a repair, as SQL; valid until the first repair. Missing where no other table can follow. */
  readonly right?: SqlFragment;
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
  /** Called before anything else: makes room for the table. @throws SinkError if the table cannot be written */
  prepare?(database: Database, table: TargetTable): Promise<void>;
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
  /** The words before a new column's name in `alter table`. */
  readonly addColumn: SqlFragment;
  readonly rules: Pick<ColumnRules<Existing>, "typeOf"> & {
    /** Whether a column holds every value of a type, so that nothing is cut or rounded. */
    holds(existing: Existing, column: RowColumn, isKey: boolean): boolean;
  };
  /** Checks an existing table by rules of this database only. @throws SinkError with a remedy */
  check?(
    into: Omit<WrittenTable, "onConflict">,
    existing: ReadonlyMap<string, Existing>,
    unique: ReadonlyMap<string, readonly string[]>,
  ): void;
  /** Prepares to write a table. */
  writer(session: Session, into: WrittenTable): Promise<WriteChanges<Session>>;
  /** Finds the changes that the database refuses, outside of a transaction. Nothing of them is left. */
  refused(
    database: Database,
    into: WrittenTable,
    changes: Changes,
    write: WriteChanges<Session>,
  ): Promise<readonly RefusedRow[]>;
  /** How to write rows that the SQL engine holds; missing if there is no faster way than `writer`. */
  readonly storedWriting?: Pick<StoredWriting, "limits"> & {
    /** Whether the engine prints the values of a column as `writer` does. */
    takes(column: RowColumn): boolean;
    /** @returns why the fastest way failed, as a clause; `undefined` if it did not */
    write(session: Session, into: WrittenTable, stored: StoredRows): Promise<string | undefined>;
  };
  /** Whether tables are dropped outside of transactions, so that an interrupted reset must leave a mark. */
  readonly dropsAtOnce: boolean;
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
