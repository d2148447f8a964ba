import { SQL } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SqlState } from "../../state/sql-state.js";
import { RowError, type Sink } from "../sink.js";
import { foreignRows } from "./check-table.js";
import { prepareTable } from "./prepare-table.js";
import type { Closing, TableDialect, TableOptions, WriteChanges, WrittenTable } from "./table-dialect.js";
import type { TargetTable } from "./target-table.js";

/**
 * Opens a table as a sink. Rows and positions are written in one transaction, so a row is written exactly once whatever
 * happens. The database is closed with the sink, and if it cannot be opened.
 * @throws SinkError for a table that does not fit, or that holds rows of something else
 */
export async function openTable<Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  options: TableOptions<Database>,
): Promise<Sink> {
  const { database, table, schema, onConflict, lineage } = options;
  try {
    const kept = stateOf(dialect, options);
    await kept.prepare(database);
    const before = await keptLineage(dialect, database, kept, table);
    lineage?.check(before);
    const columns = await prepareTable(dialect, options, async (session) => {
      await kept.forget(session);
      await kept.made(session);
    });
    const positions = await kept.read(database);
    const parked = await kept.parked(database);
    const isNew = positions.size === 0 && !kept.isClaimed;
    if (isNew) {
      const rows = await dialect.ask(database, SQL`select 1 from ${dialect.name(table)} limit 1`);
      if (rows.length > 0) throw foreignRows(table);
    }
    if (lineage && lineage.text !== before.text) await kept.keepLineage(database, lineage.text);
    const into = { table, columns, key: schema.key, onConflict };
    const write = await dialect.writer(database, into);
    return new TableSink(dialect, options, into, write, kept, { positions, parked });
  } catch (error) {
    await database.close();
    throw dialect.sinkError(error);
  }
}

/** The state of a sink beside its table. */
export function stateOf<Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  { owner, table, schema }: Pick<TableOptions<Database>, "owner" | "table" | "schema">,
): SqlState<Session> {
  return new SqlState(dialect.state(table), { ...owner, table, columns: schema.columns });
}

/** The saved lineage; empty if the table is gone, since it is written from the start then. */
export async function keptLineage<Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  session: Session,
  kept: SqlState<Session>,
  table: TargetTable,
): Promise<KeptLineage> {
  const columns = await dialect.columnsOf(session, table);
  return columns.size === 0 ? { text: undefined, isWritten: false } : kept.lineage(session);
}

class TableSink<Session, Database extends Session & Closing, Existing> implements Sink {
  readonly positions: Positions;
  readonly parked: readonly ParkedChange[];
  readonly #dialect: TableDialect<Session, Database, Existing>;
  readonly #options: TableOptions<Database>;
  readonly #into: WrittenTable;
  readonly #writeChanges: WriteChanges<Session>;
  readonly #kept: SqlState<Session>;

  constructor(
    dialect: TableDialect<Session, Database, Existing>,
    options: TableOptions<Database>,
    into: WrittenTable,
    write: WriteChanges<Session>,
    kept: SqlState<Session>,
    { positions, parked }: Required<Pick<Sink, "positions" | "parked">>,
  ) {
    this.#dialect = dialect;
    this.#options = options;
    this.#into = into;
    this.#writeChanges = write;
    this.#kept = kept;
    this.positions = positions;
    this.parked = parked;
  }

  async write(batch: SinkBatch): Promise<void> {
    const { changes } = batch;
    try {
      await this.#dialect.transaction(this.#options.database, async (session) => {
        await this.#writeChanges(session, changes);
        await this.#kept.write(session, batch);
      });
      this.#kept.written(batch.source);
    } catch (error) {
      throw this.#dialect.sinkError(await this.#blamed(changes, error));
    }
  }

  /** The error of rows that the database refuses; the given one if it is about something else. */
  async #blamed(changes: Changes, error: unknown): Promise<unknown> {
    if (!this.#dialect.isUnfit(error)) return error;
    try {
      const write = this.#writeChanges;
      const refused = await this.#dialect.refused(this.#options.database, this.#into, changes, write);
      return refused.length === 0 ? error : new RowError(error.message, refused, { cause: error });
    } catch (other) {
      return other;
    }
  }

  async forget(): Promise<void> {
    try {
      await this.#dialect.transaction(this.#options.database, (session) => this.#kept.begin(session));
    } catch (error) {
      throw this.#dialect.sinkError(error);
    }
  }

  async close(): Promise<void> {
    await this.#options.database.close();
  }
}
