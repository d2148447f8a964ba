import {
  type Database,
  DatabaseError,
  SQL,
  type Sql,
  type SqlFragment,
} from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import type { Changes } from "../../changes/net-changes.js";
import { sliceChanges } from "../../changes/pick-changes.js";
import type { RefusedRow } from "../sink.js";
import type { TargetTable } from "../tables/target-table.js";
import { unfitRows } from "../tables/unfit-rows.js";
import type { TargetColumn } from "./target-table.js";
import { writeChanges } from "./write-changes.js";

/**
 * SQLSTATE classes of errors that a row may cause: values, constraints, view checks, row limits, errors raised by
 * triggers, and codes that users define.
 */
const unfit = /^(?:22|23|44|45|54|P0|[I-OQ-WYZ])/;

/** SQLSTATE classes of errors about one column's value. */
const ofValue = /^22/;

/** Whether an error may be about a row. */
export function isUnfit(error: unknown): error is DatabaseError & { readonly code: string } {
  return error instanceof DatabaseError && unfit.test(error.code ?? "");
}

interface WrittenColumns {
  readonly table: TargetTable;
  readonly columns: readonly TargetColumn[];
}

/**
 * Finds the changes that a database refuses, in a transaction that it rolls back.
 * @param write writes some of the changes
 * @throws DatabaseError
 */
export async function refusedRows(
  database: Database,
  written: WrittenColumns,
  changes: Changes,
  write: (sql: Sql, some: Changes) => Promise<void>,
): Promise<readonly RefusedRow[]> {
  const rolledBack = new Error("nothing is kept");
  const refused: RefusedRow[] = [];
  const work = async (sql: Sql): Promise<never> => {
    // Constraints that are checked at the end of the transaction would not identify the row.
    await sql.run(SQL`set constraints all immediate`);
    const search = new ColumnSearch(sql, written);
    await unfitRows(changes.rows.count, async (start, end) => {
      const some = sliceChanges(changes, start, end);
      const error = await failureOf(sql, () => write(sql, some));
      if (error && end - start === 1) {
        const column = ofValue.test(error.code ?? "") ? await search.columnOf(some) : undefined;
        refused.push({ row: start, why: error.message, column });
      }
      return !error;
    });
    throw rolledBack;
  };
  await database.transaction(work).catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  return refused;
}

/**
 * Does some work, and undoes it if the database refuses a row.
 * @returns the database's error
 */
export async function failureOf(sql: Sql, work: () => Promise<unknown>): Promise<DatabaseError | undefined> {
  await sql.run(SQL`savepoint graphloom_rows`);
  try {
    await work();
  } catch (error) {
    if (!isUnfit(error)) throw error;
    await sql.run(SQL`rollback to savepoint graphloom_rows`);
    return error;
  }
  await sql.run(SQL`release savepoint graphloom_rows`);
  return undefined;
}

/** Finds the column that a row does not fit into, by writing it column by column into a table without constraints. */
class ColumnSearch {
  readonly #sql: Sql;
  readonly #written: WrittenColumns;
  readonly #tried: TargetTable = { schema: "pg_temp", name: "graphloom_tried" };
  #isThere: boolean | undefined;
  /** The column found last: rows often share a mistake. */
  #last: string | undefined;

  constructor(sql: Sql, written: WrittenColumns) {
    this.#sql = sql;
    this.#written = written;
  }

  /**
   * @param changes one row
   * @returns `undefined` if no single column is to blame, or if temporary tables are not permitted
   */
  async columnOf(changes: Changes): Promise<string | undefined> {
    this.#isThere ??= await this.#create();
    if (!this.#isThere) return undefined;
    const inserted: Changes = { ...changes, operations: ["i"], schema: { ...changes.schema, key: [] } };
    const { columns } = this.#written;
    for (const column of [...columns].sort((one) => (one.name === this.#last ? -1 : 0))) {
      const write = (): Promise<void> => writeChanges(this.#sql, this.#tried, [column], "update", inserted);
      if (!(await failureOf(this.#sql, write))) continue;
      this.#last = column.name;
      return column.name;
    }
    return undefined;
  }

  async #create(): Promise<boolean> {
    const { table, columns } = this.#written;
    const names: readonly SqlFragment[] = columns.map(({ name }) => quoteName(name));
    await this.#sql.run(SQL`savepoint graphloom_table`);
    try {
      await this.#sql.run(
        SQL`create temporary table ${quoteName(this.#tried.name)} on commit drop as
          select ${names} from ${quoteNames(table.schema, table.name)} with no data`,
      );
      return true;
    } catch (error) {
      // Not every user may create temporary tables.
      if (!(error instanceof DatabaseError)) throw error;
      await this.#sql.run(SQL`rollback to savepoint graphloom_table`);
      return false;
    }
  }
}
