import type { Row, SqlFragment } from "../../store/database/database.js";
import type { RowColumn } from "../changes/schema.js";

/** Whose state it is. */
export interface SqlPlace {
  readonly flow: string;
  readonly sink: string;
  /** The table that is written: rows of another one are at another place. */
  readonly table: { readonly schema: string; readonly name: string };
}

/** Whose state it is, and what is in it. */
export interface SqlStateOwner extends SqlPlace {
  /** The columns of the rows that the sink takes. */
  readonly columns: readonly RowColumn[];
}

export const stateTables = ["positions", "open_blocks", "ledger", "parked", "writers", "lineages"] as const;
export type StateTable = (typeof stateTables)[number];

/** Puts a text into a statement, as a parameter or as a literal. */
export type Bind = (text: string) => SqlFragment;

/** Makes a statement. Each text is bound in the place where the statement has it. */
export type Statement = (bind: Bind) => SqlFragment;

export type Assignments = readonly (readonly [column: SqlFragment, value: SqlFragment])[];

/**
 * What differs between the databases that keep a state in tables.
 * @template Session what runs statements: a database, or a transaction in it
 */
export interface SqlDialect<Session> {
  /** Makes sure that the tables are there. */
  prepare(session: Session): Promise<void>;
  hasTable(session: Session, table: StateTable): Promise<boolean>;
  ask(session: Session, statement: Statement): Promise<readonly Row[]>;
  /** Runs an update. @returns whether it has met a row */
  update(session: Session, statement: Statement): Promise<boolean>;
  /** Runs an insertion. @returns whether there was no row with its key; if there was, nothing has changed */
  add(session: Session, statement: Statement): Promise<boolean>;
  table(name: StateTable): SqlFragment;
  /** The columns that say whose a row is. */
  owner(place: SqlPlace, bind: Bind): Assignments;
  /** What the column `target` of a position says. */
  target(place: SqlPlace): string;
  /** Other columns of a position that nothing but a person or another owner reads. */
  labels(place: SqlPlace, bind: Bind): Assignments;
  /** What an insertion ends with so that it replaces columns of a row which has its key. */
  onConflict(key: readonly SqlFragment[], replaced: readonly SqlFragment[]): SqlFragment;
  /** The name of a source, as it is read. */
  readonly source: SqlFragment;
  /** What a query ends with that locks the rows which it reads until the transaction ends. */
  readonly lock: SqlFragment;
  /** An integer of any sign, and of up to 128 bits. */
  numeral(bind: Bind, value: bigint | number): SqlFragment;
  /** The moment, as it is written. */
  readonly now: SqlFragment;
  /** The column `since` in milliseconds since the Unix epoch. */
  readonly since: SqlFragment;
  /** Whether the sink has made the table: the column, and what it says of one that it has made. */
  made(place: SqlPlace, bind: Bind): Assignments[number];
  /** The columns whose names differ. */
  readonly columns: {
    /** The rows of an open block. */
    readonly rows: SqlFragment;
    /** The number of rows of an entry of the ledger, and the sum of their hashes. */
    readonly held: SqlFragment;
    readonly sum: SqlFragment;
    /** The number of a part, where long texts are kept in several rows. */
    readonly part: SqlFragment | undefined;
    /** The source of a parked change, where it has a column. */
    readonly parkedSource: SqlFragment | undefined;
  };
  /** Cuts a text into parts, each of which a row can hold. */
  partsOf(text: string): readonly string[];
}
