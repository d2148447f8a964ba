import type { LedgerEntry } from "../../changes/ledger.js";
import type { Changes } from "../../changes/net-changes.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { SqlState } from "../../state/sql-state.js";
import {
  type AuditOptions,
  type BlockRange,
  joinDifferences,
  type RowDifferences,
  type SinkAudit,
  type SourceStates,
  type StoredRows,
} from "../audit.js";
import { checkAuditedColumns } from "./check-table.js";
import { writtenColumns } from "./prepare-table.js";
import type {
  BesideAudit,
  Closing,
  Comparison,
  TableDialect,
  TableOptions,
  WriteChanges,
  WrittenTable,
} from "./table-dialect.js";
import { keptLineage, stateOf } from "./table-sink.js";
import { UnfitExpected } from "./unfit-expected.js";

/** Opens a table for an audit. What is mended is one transaction. The database is closed at the end. @throws SinkError */
export async function auditTable<Session, Database extends Session & Closing, Existing, Result>(
  dialect: TableDialect<Session, Database, Existing>,
  target: TableOptions<Session, Database>,
  sources: readonly string[],
  options: AuditOptions,
  work: (audit: SinkAudit) => Promise<Result>,
): Promise<Result> {
  try {
    return await dialect.audits.run(target.database, (session) =>
      work(new TableAudit(dialect, session, target, sources, options)),
    );
  } catch (error) {
    throw dialect.sinkError(error);
  } finally {
    await target.database.close();
  }
}

class TableAudit<Session, Database extends Session & Closing, Existing> implements SinkAudit {
  readonly #dialect: TableDialect<Session, Database, Existing>;
  readonly #session: Session;
  readonly #target: TableOptions<Session, Database>;
  readonly #sources: readonly string[];
  readonly #options: AuditOptions;
  readonly #kept: SqlState<Session>;
  #rows: StoredRows | undefined;
  #isHeld = false;

  constructor(
    dialect: TableDialect<Session, Database, Existing>,
    session: Session,
    target: TableOptions<Session, Database>,
    sources: readonly string[],
    options: AuditOptions,
  ) {
    this.#dialect = dialect;
    this.#session = session;
    this.#target = target;
    this.#sources = sources;
    this.#options = options;
    this.#kept = stateOf(dialect, target);
  }

  async states(): Promise<SourceStates> {
    // Until others are kept from writing, only a snapshot shows positions and ledgers of one moment.
    if (this.#isHeld) return this.#kept.states(this.#session);
    return this.#dialect.audits.snapshot(this.#target.database, this.#session, (session) =>
      this.#kept.states(session),
    );
  }

  async lineage(): Promise<KeptLineage> {
    return keptLineage(this.#dialect, this.#session, this.#kept, this.#target.table);
  }

  async rows(): Promise<StoredRows> {
    this.#rows ??= await this.#open();
    return this.#rows;
  }

  async parked(): Promise<readonly ParkedChange[]> {
    return this.#kept.parked(this.#session);
  }

  async hold(): Promise<void> {
    const { mends } = this.#options;
    const { table, beside } = this.#target;
    await this.#dialect.audits.hold(this.#session, table, mends, () => this.#kept.hold(this.#session));
    this.#isHeld = true;
    if (mends) await beside?.lock(this.#session);
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#kept.correct(this.#session, source, entry);
  }

  async #open(): Promise<StoredRows> {
    const { table, schema, onConflict, beside } = this.#target;
    const { mends, most } = this.#options;
    const [dialect, session, sources] = [this.#dialect, this.#session, this.#sources];
    const columns = await writtenColumns(dialect, session, this.#target);
    checkAuditedColumns(table, columns, await dialect.columnsOf(session, table));
    const key = schema.key.filter((column) => columns.some((one) => one.name === column));
    const compared = { table, columns, key, sources: sources.length, most };
    const comparison = await dialect.audits.compare(session, compared);
    const expected = new Map<string, Expected<Session>>();
    for (const [index, source] of sources.entries()) {
      const into = { columns, key, onConflict, table: comparison.expected[index] ?? table };
      expected.set(source, { into, write: await dialect.writer(session, into) });
    }
    const put: PutRows = (source, changes) => {
      const of = expected.get(source);
      if (!of) throw new Error(`${source} is not a source of the sink`);
      return dialect.audits.put(session, of.into, of.write, changes);
    };
    const of = { hasKey: key.length > 0, sources, mends, most };
    return new StoredTable(comparison, put, of, await beside?.audit(session, most));
  }
}

/** A table of what is expected. */
interface Expected<Session> {
  readonly into: WrittenTable;
  readonly write: WriteChanges<Session>;
}

/** Writes what is expected of a source. @returns why a row does not fit */
type PutRows = (source: string, changes: Changes) => Promise<string | undefined>;

interface StoredTableOptions extends Pick<AuditOptions, "mends" | "most"> {
  readonly hasKey: boolean;
  readonly sources: readonly string[];
}

/** The range of changes that delete what is not compared. */
const nowhere: BlockRange = { from: 0, to: 0 };

/**
 * Compares a table with what should be in it. That is written into temporary tables of the same types, one for each source,
 * as the sink itself writes, so that values are compared as they are stored. The database compares, so memory is bounded.
 */
class StoredTable implements StoredRows {
  readonly #comparison: Comparison;
  readonly #write: PutRows;
  readonly #options: StoredTableOptions;
  readonly #beside: BesideAudit | undefined;
  readonly #unfit = new UnfitExpected();

  constructor(
    comparison: Comparison,
    write: PutRows,
    options: StoredTableOptions,
    beside: BesideAudit | undefined,
  ) {
    this.#comparison = comparison;
    this.#write = write;
    this.#options = options;
    this.#beside = beside;
  }

  async expect(source: string, range: BlockRange, changes: Changes): Promise<void> {
    await this.#put(source, range, changes);
  }

  async overtake(changes: Changes): Promise<void> {
    if (!this.#options.hasKey) return;
    const gone: Changes = { ...changes, operations: changes.operations.map(() => "d") };
    for (const source of this.#options.sources) await this.#put(source, nowhere, gone);
  }

  async #put(source: string, range: BlockRange, changes: Changes): Promise<void> {
    await this.#unfit.put(source, range, changes, (some) => this.#write(source, some));
  }

  async differs(): Promise<boolean> {
    await this.#comparison.compare(false);
    return this.#comparison.differs();
  }

  async finish(isWhole: boolean): Promise<RowDifferences> {
    const { mends, most } = this.#options;
    const { right } = this.#comparison;
    if (mends) this.#unfit.refuse();
    await this.#comparison.compare(isWhole && this.#unfit.isEmpty);
    const found = { ...(await this.#comparison.found()), notes: this.#unfit.notes };
    const besides = right && (await this.#beside?.compare(right));
    if (mends) await this.#comparison.mend();
    if (mends) await this.#beside?.mend();
    return besides ? joinDifferences(found, besides, most) : found;
  }
}
