import { certificateFaultOf } from "../../../base/certificate-fault.js";
import {
  type Database,
  DatabaseError,
  SQL,
  type Sql,
  type SqlFragment,
} from "../../../store/database/database.js";
import { quoteNames } from "../../../store/database/quote.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowSchema, ValueType } from "../../changes/schema.js";
import type { KeptLineage, LineageGuard } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { SqlPlace } from "../../state/sql.js";
import { SqlState } from "../../state/sql-state.js";
import type { RowDifferences } from "../audit.js";
import { RowError, type Sink, type StoredBatch, type StoredWriting } from "../sink.js";
import { foreignRows } from "../tables/check-table.js";
import type { TargetTable } from "../tables/target-table.js";
import { isUnfit, refusedRows } from "./refused-rows.js";
import { postgresState } from "./state-tables.js";
import { columnsOf, prepareTable, type TargetColumn } from "./target-table.js";
import { writeChanges, writeStored } from "./write-changes.js";

export interface PostgresSinkOptions {
  readonly database: Database;
  readonly table: TargetTable;
  readonly schema: RowSchema;
  /** Types by column; null leaves a column out. */
  readonly overrides: ReadonlyMap<string, SqlFragment | null>;
  readonly onConflict: "update" | "nothing";
  readonly owner: Pick<SqlPlace, "flow" | "sink">;
  readonly lineage?: LineageGuard | undefined;
  /** Whether to add columns that the table lacks. */
  readonly evolves?: boolean;
  /** Another table to write in the same transactions. */
  readonly beside?: BesideTable;
}

/** A table that follows the sink's own, in the same transactions. */
export interface BesideTable {
  readonly table: TargetTable;
  /**
   * Creates the table if it does not exist, after the sink's own.
   * @param isNew whether no rows were written yet
   * @param onCreate called in the transaction that creates the table
   */
  prepare(database: Database, isNew: boolean, onCreate: (sql: Sql) => Promise<void>): Promise<void>;
  /**
   * Writes the changes, and what they mean for this table.
   * @param write writes the changes
   */
  around(
    sql: Sql,
    changes: Changes,
    columns: readonly TargetColumn[],
    write: () => Promise<void>,
  ): Promise<void>;
  /** Keeps others from writing this table until the transaction ends. */
  lock(sql: Sql): Promise<void>;
  /**
   * Opens this table for an audit, within a transaction. @param most how many rows to report one by one @throws
   * SinkError
   */
  audit(sql: Sql, most: number): Promise<BesideAudit>;
}

/** Compares a table with the one that it follows. */
export interface BesideAudit {
  /** @param rows the expected rows of the other table, as SQL; valid until the first repair */
  compare(rows: SqlFragment): Promise<RowDifferences>;
  /** Corrects the table. */
  mend(): Promise<void>;
}

/**
 * Opens a table of a PostgreSQL database as a sink. Rows and positions are written in one transaction, so each row is
 * written exactly once, whatever happens.
 * @throws SinkError if the table does not fit or holds foreign rows
 */
export async function openPostgresSink(options: PostgresSinkOptions): Promise<Sink> {
  const { database, table, schema, overrides, lineage, beside } = options;
  try {
    const kept = stateOf(options);
    await kept.prepare(database);
    const before = await keptLineage(database, kept, table);
    lineage?.check(before);
    const onCreate = async (sql: Sql): Promise<void> => {
      await kept.forget(sql);
      await kept.made(sql);
    };
    const columns = await prepareTable(database, table, schema, overrides, onCreate, options.evolves);
    const positions = await kept.read(database);
    const parked = await kept.parked(database);
    const isNew = positions.size === 0 && !kept.isClaimed;
    if (isNew) {
      const rows = await database.query(SQL`select 1 from ${quoteNames(table.schema, table.name)} limit 1`);
      if (rows.length > 0) throw foreignRows(table);
    }
    await beside?.prepare(database, isNew, (sql) => kept.made(sql, beside.table));
    if (lineage && lineage.text !== before.text) await kept.keepLineage(database, lineage.text);
    return new PostgresSink(options, columns, kept, { positions, parked });
  } catch (error) {
    await database.close();
    throw sinkErrorOf(error);
  }
}

/** The state that is kept for a sink beside its table. */
export function stateOf({
  owner,
  table,
  schema,
}: Pick<PostgresSinkOptions, "owner" | "table" | "schema">): SqlState<Sql> {
  return new SqlState(postgresState, { ...owner, table, columns: schema.columns });
}

/** The recorded origin of the rows; `undefined` if the table is gone, since it is then written again. */
export async function keptLineage(
  sql: Sql,
  kept: SqlState<Sql>,
  { schema, name }: TargetTable,
): Promise<KeptLineage> {
  const columns = await columnsOf(sql, schema, name);
  return columns.size === 0 ? { text: undefined, isWritten: false } : kept.lineage(sql);
}

class PostgresSink implements Sink {
  readonly positions: Positions;
  readonly parked: readonly ParkedChange[];
  readonly storedWriting: StoredWriting | undefined;
  readonly #options: PostgresSinkOptions;
  readonly #columns: readonly TargetColumn[];
  readonly #kept: SqlState<Sql>;
  /** Whether the user was warned that COPY failed. */
  #isSlownessTold = false;

  constructor(
    options: PostgresSinkOptions,
    columns: readonly TargetColumn[],
    kept: SqlState<Sql>,
    { positions, parked }: Required<Pick<Sink, "positions" | "parked">>,
  ) {
    this.#options = options;
    this.#columns = columns;
    this.#kept = kept;
    this.positions = positions;
    this.parked = parked;
    if (!options.beside && columns.every(({ type }) => hasOneText(type)))
      this.storedWriting = {
        limits: { rows: mostStored, blocks: 1_000_000 },
        write: (batch, onSlower) => this.#writeStored(batch, onSlower),
      };
  }

  async write(batch: SinkBatch): Promise<void> {
    const { database } = this.#options;
    const { changes } = batch;
    try {
      await database
        .transaction(async (sql) => {
          await this.#write(sql, changes);
          await this.#kept.write(sql, batch);
        })
        .catch(async (error: unknown) => {
          throw (isUnfit(error) && (await this.#refused(changes, error))) || error;
        });
      this.#kept.written(batch.source);
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  /** @returns whether the database accepted the rows; if not, find out which of them it refuses */
  async #writeStored(batch: StoredBatch, onSlower: (why: string) => void): Promise<boolean> {
    const { database, table, onConflict, schema } = this.#options;
    try {
      const why = await database.transaction(async (sql) => {
        const rows = { stored: batch.stored, key: schema.key };
        const notCopied = await writeStored(sql, table, this.#columns, onConflict, rows);
        await this.#kept.write(sql, batch);
        return notCopied;
      });
      this.#kept.written(batch.source);
      if (why !== undefined && !this.#isSlownessTold) {
        this.#isSlownessTold = true;
        onSlower(`were inserted, since COPY failed: ${why}. Later batches are tried in the same way`);
      }
      return true;
    } catch (error) {
      if (isUnfit(error)) return false;
      throw sinkErrorOf(error);
    }
  }

  async #write(sql: Sql, changes: Changes): Promise<void> {
    const { table, onConflict, beside } = this.#options;
    const write = (): Promise<void> => writeChanges(sql, table, this.#columns, onConflict, changes);
    await (beside ? beside.around(sql, changes, this.#columns, write) : write());
  }

  /**
   * The error about rows that the database refuses; `undefined` if the cause is something else.
   * @throws DatabaseError
   */
  async #refused(changes: Changes, cause: DatabaseError): Promise<RowError | undefined> {
    const { database, table } = this.#options;
    const write = (sql: Sql, some: Changes): Promise<void> => this.#write(sql, some);
    const refused = await refusedRows(database, { table, columns: this.#columns }, changes, write);
    return refused.length === 0 ? undefined : new RowError(cause.message, refused, { cause });
  }

  async forget(): Promise<void> {
    try {
      await this.#options.database.transaction((sql) => this.#kept.begin(sql));
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  async close(): Promise<void> {
    await this.#options.database.close();
  }
}

/** How many rows one transaction writes from the SQL engine. An audit reads them together again. */
const mostStored = 50_000;

/** Whether the SQL engine prints values of a type as this sink does. */
function hasOneText(type: ValueType): boolean {
  return type !== "TIMESTAMP" && type !== "DOUBLE" && type !== "ARRAY<STRING>";
}

/** Errors that the rows did not cause: connections, resources, transactions, shutdown, a full database. */
const temporary = /^(?:(?:08|53|57|40|55)...$|25006$|E[A-Z]{4,})/;

/** The SQLSTATE of a write to a database that is currently read-only. */
const readOnly = "25006";
const whyReadOnly = "The database is a standby, or larger than it may be";

/** Converts a database's error to a sink error; returns other errors unchanged. */
export function sinkErrorOf(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { code, message, hint = code === readOnly ? whyReadOnly : undefined } = error;
  const isUntrusted = certificateFaultOf(error) !== undefined;
  const isTemporary = !isUntrusted && (code === undefined || temporary.test(code));
  return new SinkError(hint === undefined ? message : `${message}. ${hint}`, isTemporary, { cause: error });
}
