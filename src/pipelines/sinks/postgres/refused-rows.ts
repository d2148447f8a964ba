import {
  type Database,
  DatabaseError,
  SQL,
  type Sql,
  type SqlFragment,
} from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RefusedRow } from "../sink.js";
import type { WriteChanges, WrittenTable } from "../tables/table-dialect.js";
import type { TargetTable } from "../tables/target-table.js";
import { refusedChanges, undone } from "../tables/unfit-rows.js";
import { isUnfit } from "./postgres-error.js";
import { changeWriter } from "./write-changes.js";

/** SQLSTATE classes of errors about one column's value. */
const ofValue = /^22/;

/**
 * Finds the changes that a database refuses, in a transaction that it rolls back.
 * @throws DatabaseError
 */
export function refusedRows(
  database: Database,
  into: Pick<WrittenTable, "table" | "columns">,
  changes: Changes,
  write: WriteChanges<Sql>,
): Promise<readonly RefusedRow[]> {
  return undone(
    (work) => database.transaction(work),
    async (sql: Sql) => {
      // Constraints that are checked at the end of the transaction would not identify the row.
      await sql.run(SQL`set constraints all immediate`);
      const search = new ColumnSearch(sql, into);
      return refusedChanges(
        changes,
        (some) => failureOf(sql, () => write(sql, some)),
        async (change, { code = "" }) => (ofValue.test(code) ? search.columnOf(change) : undefined),
      );
    },
  );
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
  readonly #written: Pick<WrittenTable, "table" | "columns">;
  readonly #tried: TargetTable = { schema: "pg_temp", name: "graphloom_tried" };
  #isThere: boolean | undefined;
  /** The column found last: rows often share a mistake. */
  #last: string | undefined;

  constructor(sql: Sql, written: Pick<WrittenTable, "table" | "columns">) {
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
    const inserted: Changes = { ...changes, operations: ["i"] };
    const { columns } = this.#written;
    for (const column of [...columns].sort((one) => (one.name === this.#last ? -1 : 0))) {
      const write = changeWriter({ table: this.#tried, columns: [column], key: [], onConflict: "update" });
      if (!(await failureOf(this.#sql, () => write(this.#sql, inserted)))) continue;
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
