import { SQL } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowColumn } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import type { BlockRange, RowDifferences, StoredRows } from "../audit.js";
import type { MysqlDatabase } from "../mysql-database.js";
import { RowError } from "../sink.js";
import { sameSet } from "../tables/check-table.js";
import type { TargetTable } from "../tables/target-table.js";
import { UnfitExpected } from "../tables/unfit-expected.js";
import { ComparedCopies } from "./compared-copies.js";
import { ComparedKeys } from "./compared-keys.js";
import type { ComparedTables, Comparison } from "./comparison.js";
import { isUnfit } from "./mysql-error.js";
import { quoteMysqlName } from "./mysql-text.js";
import { tableName } from "./target-table.js";
import { ChangeWriter } from "./write-changes.js";

/** Which table to compare, and how to write its rows. */
export interface StoredTableOptions {
  readonly table: TargetTable;
  readonly columns: readonly RowColumn[];
  /** Names of columns; empty if rows have no key. */
  readonly key: readonly string[];
  /** The columns of each unique index. */
  readonly unique: readonly (readonly string[])[];
  readonly onConflict: "update" | "nothing";
  readonly sources: readonly string[];
  readonly statementBytes: number;
  readonly mends: boolean;
  readonly most: number;
}

/**
 * Compares a table with its expected rows.
 * The sink's own writer puts these into temporary tables with the same types, one for each source, so values are
 * compared as they are stored. The database compares, so memory is bounded.
 */
export class StoredTable implements StoredRows {
  readonly #database: MysqlDatabase;
  readonly #options: StoredTableOptions;
  readonly #tables: ComparedTables;
  readonly #comparison: Comparison;
  readonly #unfit = new UnfitExpected();

  private constructor(database: MysqlDatabase, options: StoredTableOptions) {
    this.#database = database;
    this.#options = options;
    const { table, columns, key, sources, unique, most } = options;
    const { schema } = table;
    this.#tables = {
      stored: tableName(table),
      expected: sources.map((_, index) => tableName(expectedTable(schema, index))),
      differences: tableName({ schema, name: "graphloom_differences" }),
    };
    const names = columns.map(({ name }) => name);
    const isUnique = unique.some((index) => sameSet(index) === sameSet(key));
    this.#comparison =
      key.length === 0
        ? new ComparedCopies(database, this.#tables, names, most)
        : new ComparedKeys(database, this.#tables, { columns: names, key, isUnique, most });
  }

  /** Closing the connection drops the temporary tables. @throws MysqlError */
  static async open(database: MysqlDatabase, options: StoredTableOptions): Promise<StoredTable> {
    const opened = new StoredTable(database, options);
    const { stored, expected } = opened.#tables;
    const columns = options.columns.map(({ name }) => quoteMysqlName(name));
    const key = options.key.map(quoteMysqlName);
    const index = key.length === 0 ? SQL`` : SQL`(primary key (${key}))`;
    // A deletion that names its table by an alias needs a current database.
    await database.run(SQL`use ${quoteMysqlName(options.table.schema)}`);
    for (const table of expected)
      await database.run(
        SQL`create temporary table ${table} ${index} engine = InnoDB row_format = dynamic as select ${columns} from ${stored} limit 0`,
      );
    return opened;
  }

  async expect(source: string, range: BlockRange, changes: Changes): Promise<void> {
    await this.#put(source, range, changes, this.#options.onConflict);
  }

  async overtake(changes: Changes): Promise<void> {
    const { sources, key } = this.#options;
    if (key.length === 0) return;
    const gone: Changes = { ...changes, operations: changes.operations.map(() => "d") };
    for (const source of sources) await this.#put(source, { from: 0, to: 0 }, gone, "update");
  }

  async differs(): Promise<boolean> {
    await this.#comparison.compare(false);
    const { rows } = await this.#database.run(SQL`select 1 from ${this.#tables.differences} limit 1`);
    await this.#database.run(SQL`drop temporary table ${this.#tables.differences}`);
    return rows.length > 0;
  }

  async finish(isWhole: boolean): Promise<RowDifferences> {
    if (this.#options.mends) this.#unfit.refuse();
    await this.#comparison.compare(isWhole && this.#unfit.isEmpty);
    const found = { ...(await this.#comparison.found()), notes: this.#unfit.notes };
    if (this.#options.mends) await this.#comparison.mend();
    return found;
  }

  async #put(
    source: string,
    range: BlockRange,
    changes: Changes,
    onConflict: "update" | "nothing",
  ): Promise<void> {
    const { table, columns, key, statementBytes, sources } = this.#options;
    const expected = expectedTable(table.schema, sources.indexOf(source));
    const into = { table: expected, columns, key, onConflict, statementBytes };
    const writer = new ChangeWriter(this.#database, into);
    await this.#unfit.put(source, range, changes, (some) => this.#failureOf(writer, some));
  }

  /** Most of an audit runs outside of transactions, so nothing is rolled back: rows with a key are overwritten. */
  async #failureOf(writer: ChangeWriter, some: Changes): Promise<string | undefined> {
    try {
      await writer.write(some);
      return undefined;
    } catch (error) {
      if (!(error instanceof RowError) && !isUnfit(error)) throw error;
      const why = error.message.replace(/ at row \d+$/, "");
      if (this.#options.key.length > 0) return why;
      throw new SinkError(`The table cannot be compared: rows do not fit into its columns: ${why}.`, false);
    }
  }
}

function expectedTable(schema: string, index: number): TargetTable {
  return { schema, name: `graphloom_expected_${index}` };
}
