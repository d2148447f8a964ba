import { SQL, type SqlFragment } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowSchema } from "../../changes/schema.js";
import type { KeptLineage, LineageGuard } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import type { SqlPlace } from "../../state/sql.js";
import { SqlState } from "../../state/sql-state.js";
import type { MysqlDatabase } from "../mysql-database.js";
import { RowError, type Sink } from "../sink.js";
import { foreignRows } from "../tables/check-table.js";
import type { TargetTable } from "../tables/target-table.js";
import { isUnfit, mysqlSinkError } from "./mysql-error.js";
import { mysqlState } from "./state-tables.js";
import { columnsOf, prepareSchema, prepareTable, tableName } from "./target-table.js";
import { ChangeWriter, packetBytes } from "./write-changes.js";

export interface MysqlSinkOptions {
  readonly database: MysqlDatabase;
  readonly table: TargetTable;
  readonly schema: RowSchema;
  /** Types by column; null leaves a column out. */
  readonly overrides: ReadonlyMap<string, SqlFragment | null>;
  readonly onConflict: "update" | "nothing";
  readonly owner: Pick<SqlPlace, "flow" | "sink">;
  readonly lineage?: LineageGuard | undefined;
  /** Whether to add columns that the table lacks. */
  readonly evolves?: boolean;
}

/**
 * Opens a table of a MySQL or MariaDB database as a sink. Rows and positions are written in one transaction, so each
 * row is written exactly once, whatever happens.
 * @throws SinkError if the table does not fit or holds foreign rows
 */
export async function openMysqlSink(options: MysqlSinkOptions): Promise<Sink> {
  const { database, table, schema, overrides, onConflict, lineage } = options;
  try {
    await prepareSchema(database, table.schema);
    const kept = stateOf(options);
    await kept.prepare(database);
    const before = await keptLineage(database, kept, table);
    lineage?.check(before);
    const onCreate = async (): Promise<void> => {
      await database.transaction(() => kept.forget(database));
      await kept.made(database);
    };
    const columns = await prepareTable(database, table, schema, overrides, onCreate, options.evolves);
    const positions = await kept.read(database);
    const parked = await kept.parked(database);
    if (positions.size === 0 && !kept.isClaimed) {
      const { rows } = await database.run(SQL`select 1 from ${tableName(table)} limit 1`);
      if (rows.length > 0) throw foreignRows(table);
    }
    if (lineage && lineage.text !== before.text) await kept.keepLineage(database, lineage.text);
    const into = { table, columns, key: schema.key, onConflict, statementBytes: await packetBytes(database) };
    return new MysqlSink(database, new ChangeWriter(database, into), kept, { positions, parked });
  } catch (error) {
    await database.close();
    throw mysqlSinkError(error);
  }
}

/** The state that is kept for a sink beside its table. */
export function stateOf({
  owner,
  table,
  schema,
}: Pick<MysqlSinkOptions, "owner" | "table" | "schema">): SqlState<MysqlDatabase> {
  return new SqlState(mysqlState(table.schema), { ...owner, table, columns: schema.columns });
}

/** The recorded origin of the rows; `undefined` if the table is gone, since it is then written again. */
export async function keptLineage(
  database: MysqlDatabase,
  kept: SqlState<MysqlDatabase>,
  table: TargetTable,
): Promise<KeptLineage> {
  const columns = await columnsOf(database, table);
  return columns.size === 0 ? { text: undefined, isWritten: false } : kept.lineage(database);
}

class MysqlSink implements Sink {
  readonly positions: Positions;
  readonly parked: readonly ParkedChange[];
  readonly #database: MysqlDatabase;
  readonly #writer: ChangeWriter;
  readonly #kept: SqlState<MysqlDatabase>;

  constructor(
    database: MysqlDatabase,
    writer: ChangeWriter,
    kept: SqlState<MysqlDatabase>,
    { positions, parked }: Required<Pick<Sink, "positions" | "parked">>,
  ) {
    this.#database = database;
    this.#writer = writer;
    this.#kept = kept;
    this.positions = positions;
    this.parked = parked;
  }

  async write(batch: SinkBatch): Promise<void> {
    const { source, changes } = batch;
    try {
      await this.#database.transaction(async () => {
        await this.#writer.write(changes);
        await this.#kept.write(this.#database, batch);
      });
      this.#kept.written(source);
    } catch (error) {
      throw mysqlSinkError((isUnfit(error) && (await this.#refused(changes, error))) || error);
    }
  }

  /** The error about rows that the server refuses; `undefined` if the cause is something else. */
  async #refused(changes: Changes, cause: Error): Promise<RowError | undefined> {
    const refused = await this.#writer.refused(changes).catch((error: unknown) => {
      throw mysqlSinkError(error);
    });
    return refused.length === 0 ? undefined : new RowError(cause.message, refused, { cause });
  }

  async forget(): Promise<void> {
    try {
      await this.#database.transaction(() => this.#kept.begin(this.#database));
    } catch (error) {
      throw mysqlSinkError(error);
    }
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}
