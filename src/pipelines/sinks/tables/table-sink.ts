import { SQL } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SqlState } from "../../state/sql-state.js";
import { RowError, type Sink, type StoredBatch, type StoredWriting } from "../sink.js";
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
  options: TableOptions<Session, Database>,
): Promise<Sink> {
  const { database, table, schema, onConflict, lineage, beside } = options;
  try {
    await dialect.prepare?.(database, table);
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
    await beside?.prepare(database, isNew, (session) => kept.made(session, beside.table));
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
  { owner, table, schema }: Pick<TableOptions<Session, Database>, "owner" | "table" | "schema">,
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
  readonly storedWriting: StoredWriting | undefined;
  readonly #dialect: TableDialect<Session, Database, Existing>;
  readonly #options: TableOptions<Session, Database>;
  readonly #into: WrittenTable;
  readonly #writeChanges: WriteChanges<Session>;
  readonly #kept: SqlState<Session>;
  /** Whether the sink has reported that rows were not copied. */
  #isSlownessTold = false;

  constructor(
    dialect: TableDialect<Session, Database, Existing>,
    options: TableOptions<Session, Database>,
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
    const { storedWriting: stored } = dialect;
    if (stored && !options.beside && into.columns.every((column) => stored.takes(column)))
      this.storedWriting = {
        limits: stored.limits,
        write: (batch, onSlower) =>
          this.#writeStored(batch, onSlower, (session) => stored.write(session, into, batch.stored)),
      };
  }

  async write(batch: SinkBatch): Promise<void> {
    const { changes } = batch;
    try {
      await this.#dialect.transaction(this.#options.database, async (session) => {
        await this.#write(session, changes);
        await this.#kept.write(session, batch);
      });
      this.#kept.written(batch.source);
    } catch (error) {
      throw this.#dialect.sinkError(await this.#blamed(changes, error));
    }
  }

  /** @returns whether the database has taken the rows; if not, it is found out which of them it refuses */
  async #writeStored(
    batch: StoredBatch,
    onSlower: (why: string) => void,
    write: (session: Session) => Promise<string | undefined>,
  ): Promise<boolean> {
    try {
      const why = await this.#dialect.transaction(this.#options.database, async (session) => {
        const notCopied = await write(session);
        await this.#kept.write(session, batch);
        return notCopied;
      });
      this.#kept.written(batch.source);
      if (why !== undefined && !this.#isSlownessTold) {
        this.#isSlownessTold = true;
        onSlower(`were inserted, since COPY failed: ${why}. Later batches are tried in the same way`);
      }
      return true;
    } catch (error) {
      if (this.#dialect.isUnfit(error)) return false;
      throw this.#dialect.sinkError(error);
    }
  }

  async #write(session: Session, changes: Changes): Promise<void> {
    const { beside } = this.#options;
    const write = (): Promise<void> => this.#writeChanges(session, changes);
    await (beside ? beside.around(session, changes, this.#into.columns, write) : write());
  }

  /** The error of rows that the database refuses; the given one if it is about something else. */
  async #blamed(changes: Changes, error: unknown): Promise<unknown> {
    if (!this.#dialect.isUnfit(error)) return error;
    try {
      const write: WriteChanges<Session> = (session, some) => this.#write(session, some);
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
