import { SQL } from "../../../store/database/database.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { SqlState } from "../../state/sql-state.js";
import type { AuditOptions, AuditSink, SinkAudit, SourceStates } from "../audit.js";
import type { MysqlDatabase } from "../mysql-database.js";
import { checkAuditedColumns } from "../tables/check-table.js";
import { mysqlSinkError } from "./mysql-error.js";
import { keptLineage, type MysqlSinkOptions, stateOf } from "./mysql-sink.js";
import { mysqlOptions } from "./open-mysql.js";
import type { MysqlShape } from "./shape.js";
import { StoredTable } from "./stored-table.js";
import { columnsOf, uniqueIndexes, writtenColumns } from "./target-table.js";
import { packetBytes } from "./write-changes.js";

/** Opens a table of a MySQL or MariaDB database for an audit. Repairs are one transaction. @throws SinkError */
export const auditMysql: AuditSink<MysqlShape> = async (planned, owner, world, options, work) => {
  const target = await mysqlOptions(planned, owner, world);
  const { database } = target;
  try {
    try {
      const result = await work(new MysqlAudit(target, owner.sources, options));
      await database.run(SQL`commit`);
      return result;
    } catch (error) {
      // Losing the connection also rolls the transaction back.
      await database.run(SQL`rollback`).catch(() => undefined);
      throw mysqlSinkError(error);
    }
  } finally {
    await database.close();
  }
};

class MysqlAudit implements SinkAudit {
  readonly #target: MysqlSinkOptions;
  readonly #sources: readonly string[];
  readonly #options: AuditOptions;
  readonly #kept: SqlState<MysqlDatabase>;
  #isHeld = false;

  constructor(target: MysqlSinkOptions, sources: readonly string[], options: AuditOptions) {
    this.#target = target;
    this.#sources = sources;
    this.#options = options;
    this.#kept = stateOf(target);
  }

  async states(): Promise<SourceStates> {
    const { database } = this.#target;
    // A transaction sees the positions and ledgers of one moment.
    const read = (): Promise<SourceStates> => this.#kept.states(database);
    return this.#isHeld ? read() : database.transaction(read);
  }

  async lineage(): Promise<KeptLineage> {
    return keptLineage(this.#target.database, this.#kept, this.#target.table);
  }

  async rows(): Promise<StoredTable> {
    const { database, table, schema, overrides, onConflict } = this.#target;
    const columns = writtenColumns(schema.columns, overrides);
    checkAuditedColumns(table, columns, await columnsOf(database, table));
    const key = schema.key.filter((column) => columns.some((one) => one.name === column));
    const { mends, most } = this.#options;
    return StoredTable.open(database, {
      table,
      columns,
      key,
      onConflict,
      mends,
      most,
      sources: this.#sources,
      unique: [...(await uniqueIndexes(database, table)).values()],
      statementBytes: await packetBytes(database),
    });
  }

  async parked(): Promise<readonly ParkedChange[]> {
    return this.#kept.parked(this.#target.database);
  }

  /** From here on, no one else writes, so each read sees the final state. */
  async hold(): Promise<void> {
    await this.#target.database.run(SQL`start transaction`);
    await this.#kept.hold(this.#target.database);
    this.#isHeld = true;
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#kept.correct(this.#target.database, source, entry);
  }
}
