import { SQL } from "../../../store/database/database.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { AuditOptions, AuditSink, SinkAudit, SourceStates } from "../audit.js";
import type { KeptLineage } from "../lineage-guard.js";
import type { ParkedChange } from "../parking/parked-change.js";
import { checkAuditedColumns } from "../tables/check-table.js";
import { KeptPositions } from "./kept-positions.js";
import { mysqlSinkError } from "./mysql-error.js";
import { keptLineage, type MysqlSinkOptions } from "./mysql-sink.js";
import { mysqlOptions } from "./open-mysql.js";
import { parkedIn } from "./read-parked.js";
import type { MysqlShape } from "./shape.js";
import { StoredTable } from "./stored-table.js";
import { columnsOf, uniqueIndexes, writtenColumns } from "./target-table.js";
import { packetBytes } from "./write-changes.js";

/** Opens a table of a MySQL or MariaDB database for an audit. What is mended is one transaction. @throws SinkError */
export const auditMysql: AuditSink<MysqlShape> = async (planned, owner, world, options, work) => {
  const target = await mysqlOptions(planned, owner, world);
  const { database } = target;
  try {
    try {
      const result = await work(new MysqlAudit(target, owner.sources, options));
      await database.run(SQL`commit`);
      return result;
    } catch (error) {
      // A connection that is lost has rolled back.
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
  readonly #kept: KeptPositions;
  #isHeld = false;

  constructor(target: MysqlSinkOptions, sources: readonly string[], options: AuditOptions) {
    this.#target = target;
    this.#sources = sources;
    this.#options = options;
    const { database, owner, table, schema } = target;
    this.#kept = new KeptPositions(database, { ...owner, table, columns: schema.columns });
  }

  async states(): Promise<SourceStates> {
    if (!(await this.#kept.exist())) return new Map();
    // A transaction sees positions and ledgers as they are at one moment.
    return this.#isHeld ? this.#read() : this.#target.database.transaction(() => this.#read());
  }

  async lineage(): Promise<KeptLineage> {
    return keptLineage(this.#target.database, this.#kept, this.#target.table);
  }

  async #read(): Promise<SourceStates> {
    const states = [];
    for (const [source, position] of await this.#kept.read())
      states.push([source, { position, ledger: await this.#kept.ledger(source) }] as const);
    return new Map(states);
  }

  async rows(): Promise<StoredTable> {
    const { database, table, schema, overrides, onConflict } = this.#target;
    const columns = writtenColumns(schema.columns, overrides);
    checkAuditedColumns(table, columns, await columnsOf(database, table));
    const key = schema.key.filter((column) => columns.some((one) => one.name === column));
    const { mends, most } = this.#options;
    return StoredTable.open(database, {
      ...{ table, columns, key, onConflict, mends, most },
      sources: this.#sources,
      unique: [...(await uniqueIndexes(database, table)).values()],
      statementBytes: await packetBytes(database),
    });
  }

  async parked(): Promise<readonly ParkedChange[]> {
    const { database, table } = this.#target;
    return parkedIn(database, table.schema, this.#kept);
  }

  /** What is read from here on is what is there once nobody else writes. */
  async hold(): Promise<void> {
    await this.#target.database.run(SQL`start transaction`);
    await this.#kept.hold();
    this.#isHeld = true;
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#kept.correct(source, entry);
  }
}
