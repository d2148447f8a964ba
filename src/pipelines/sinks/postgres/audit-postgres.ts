import { SQL, type Sql } from "../../../store/database/database.js";
import { quoteNames } from "../../../store/database/quote.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { AuditOptions, AuditSink, SinkAudit, SourceStates } from "../audit.js";
import type { KeptLineage } from "../lineage-guard.js";
import type { ParkedChange } from "../parking/parked-change.js";
import { checkAuditedColumns } from "../tables/check-table.js";
import { KeptPositions } from "./kept-positions.js";
import { postgresOptions } from "./open-postgres.js";
import { keptLineage, type PostgresSinkOptions, sinkErrorOf } from "./postgres-sink.js";
import type { PostgresShape } from "./shape.js";
import { StoredTable } from "./stored-table.js";
import { columnsOf, writtenColumns } from "./target-table.js";

/** Opens a table of a PostgreSQL database for an audit. All of it is one transaction. @throws SinkError */
export const auditPostgres: AuditSink<PostgresShape> = async (planned, owner, world, options, work) => {
  const target = await postgresOptions(planned, owner, world);
  return auditTable(target, owner.sources, options, work);
};

/** The same for a database that is open. It is closed at the end. */
export async function auditTable<Result>(
  target: PostgresSinkOptions,
  sources: readonly string[],
  options: AuditOptions,
  work: (audit: SinkAudit) => Promise<Result>,
): Promise<Result> {
  try {
    return await target.database.transaction(async (sql) => {
      // Nobody waits for the transaction until `hold`, and sources take their time.
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
  readonly #kept: KeptPositions;
  #rows: StoredTable | undefined;
  #isHeld = false;

  constructor(sql: Sql, target: PostgresSinkOptions, sources: readonly string[], options: AuditOptions) {
    this.#sql = sql;
    this.#target = target;
    this.#sources = sources;
    this.#options = options;
    const { owner, table, schema } = target;
    this.#kept = new KeptPositions({ ...owner, table, columns: schema.columns });
  }

  async states(): Promise<SourceStates> {
    const [found] = await this.#sql.query(SQL`select to_regclass('graphloom_flows.ledger') as ledger`);
    if (found?.ledger == null) return new Map();
    // Until others are kept from writing, only a snapshot shows positions and ledgers of one moment.
    if (this.#isHeld) return this.#read(this.#sql);
    return this.#target.database.transaction((sql) => this.#read(sql), { snapshot: true });
  }

  async #read(sql: Sql): Promise<SourceStates> {
    const states = [];
    for (const [source, position] of await this.#kept.read(sql))
      states.push([source, { position, ledger: await this.#kept.ledger(sql, source) }] as const);
    return new Map(states);
  }

  async lineage(): Promise<KeptLineage> {
    return keptLineage(this.#sql, this.#kept, this.#target.table);
  }

  async rows(): Promise<StoredTable> {
    this.#rows ??= await this.#open();
    return this.#rows;
  }

  async parked(): Promise<readonly ParkedChange[]> {
    const [found] = await this.#sql.query(SQL`select to_regclass('graphloom_flows.parked') as parked`);
    return found?.parked == null ? [] : this.#kept.parked(this.#sql);
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
      ...{ table, columns, key, onConflict, mends, most },
      sources: this.#sources,
      beside: await this.#target.beside?.audit(this.#sql, most),
    });
  }
}
