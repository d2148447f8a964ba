import { SQL, type Sql } from "../../../store/database/database.js";
import { quoteNames } from "../../../store/database/quote.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { SqlState } from "../../state/sql-state.js";
import type { AuditOptions, AuditSink, SinkAudit, SourceStates } from "../audit.js";
import { checkAuditedColumns } from "../tables/check-table.js";
import { postgresOptions } from "./open-postgres.js";
import { keptLineage, type PostgresSinkOptions, sinkErrorOf, stateOf } from "./postgres-sink.js";
import type { PostgresShape } from "./shape.js";
import { StoredTable } from "./stored-table.js";
import { columnsOf, writtenColumns } from "./target-table.js";

/** Opens a table of a PostgreSQL database for an audit. The whole audit is one transaction. @throws SinkError */
export const auditPostgres: AuditSink<PostgresShape> = async (planned, owner, world, options, work) => {
  const target = await postgresOptions(planned, owner, world);
  return auditTable(target, owner.sources, options, work);
};

/** Audits a table of an open database, and closes the database. */
export async function auditTable<Result>(
  target: PostgresSinkOptions,
  sources: readonly string[],
  options: AuditOptions,
  work: (audit: SinkAudit) => Promise<Result>,
): Promise<Result> {
  try {
    return await target.database.transaction(async (sql) => {
      // Until `hold`, the transaction blocks no one, and sources may take long.
      await sql.query(SQL`set local idle_in_transaction_session_timeout = 0`);
      return work(new PostgresAudit(sql, target, sources, options));
    });
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await target.database.close();
  }
}

class PostgresAudit implements SinkAudit {
  readonly #sql: Sql;
  readonly #target: PostgresSinkOptions;
  readonly #sources: readonly string[];
  readonly #options: AuditOptions;
  readonly #kept: SqlState<Sql>;
  #rows: StoredTable | undefined;
  #isHeld = false;

  constructor(sql: Sql, target: PostgresSinkOptions, sources: readonly string[], options: AuditOptions) {
    this.#sql = sql;
    this.#target = target;
    this.#sources = sources;
    this.#options = options;
    this.#kept = stateOf(target);
  }

  async states(): Promise<SourceStates> {
    // While others may still write, only a snapshot shows positions and ledgers of one moment.
    if (this.#isHeld) return this.#kept.states(this.#sql);
    return this.#target.database.transaction((sql) => this.#kept.states(sql), { snapshot: true });
  }

  async lineage(): Promise<KeptLineage> {
    return keptLineage(this.#sql, this.#kept, this.#target.table);
  }

  async rows(): Promise<StoredTable> {
    this.#rows ??= await this.#open();
    return this.#rows;
  }

  async parked(): Promise<readonly ParkedChange[]> {
    return this.#kept.parked(this.#sql);
  }

  async hold(): Promise<void> {
    const { table } = this.#target;
    await this.#sql.query(SQL`set local idle_in_transaction_session_timeout = '10min'`);
    await this.#kept.hold(this.#sql);
    this.#isHeld = true;
    if (this.#options.mends)
      await this.#sql.query(
        SQL`lock table ${quoteNames(table.schema, table.name)} in share row exclusive mode`,
      );
    if (this.#options.mends) await this.#target.beside?.lock(this.#sql);
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#kept.correct(this.#sql, source, entry);
  }

  async #open(): Promise<StoredTable> {
    const { table, schema, overrides, onConflict } = this.#target;
    const columns = writtenColumns(schema.columns, overrides);
    checkAuditedColumns(table, columns, await columnsOf(this.#sql, table.schema, table.name));
    const key = schema.key.filter((column) => columns.some((one) => one.name === column));
    const { mends, most } = this.#options;
    return StoredTable.open(this.#sql, {
      table,
      columns,
      key,
      onConflict,
      mends,
      most,
      sources: this.#sources,
      beside: await this.#target.beside?.audit(this.#sql, most),
    });
  }
}
