import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import { sliceChanges } from "../../changes/pick-changes.js";
import type { RowColumn } from "../../changes/schema.js";
import type { MysqlDatabase } from "../mysql-database.js";
import { type RefusedRow, RowError } from "../sink.js";
import type { TargetTable } from "../tables/target-table.js";
import { unfitRows } from "../tables/unfit-rows.js";
import { literal } from "./column-types.js";
import { isUnfit } from "./mysql-error.js";
import { quoteMysqlName } from "./mysql-text.js";
import { tableName } from "./target-table.js";

/** Where and how to write rows. */
export interface WrittenTable {
  readonly table: TargetTable;
  readonly columns: readonly RowColumn[];
  readonly key: readonly string[];
  readonly onConflict: "update" | "nothing";
  /** The largest statement that the server takes, in bytes. */
  readonly statementBytes: number;
}

/** Bytes of a statement beside its rows. Generous, since column names are short. */
const frameBytes = 100_000;

/** Beyond this, statements do not get faster. */
const enoughBytes = 2_000_000;

/** The most rows to delete in one statement: for longer lists, servers stop using the index. */
const deletedAtOnce = 500;

/** The largest statement that the server takes, in bytes. @throws MysqlError */
export async function packetBytes(database: MysqlDatabase): Promise<number> {
  const { rows } = await database.run(SQL`select @@max_allowed_packet as bytes`);
  return Number(rows[0]?.bytes);
}

/** Writes changes within a transaction: deletes by key, then inserts or updates each other row once. */
export class ChangeWriter {
  readonly #database: MysqlDatabase;
  readonly #into: WrittenTable;
  readonly #name: SqlFragment;
  readonly #columns: readonly SqlFragment[];

  constructor(database: MysqlDatabase, into: WrittenTable) {
    this.#database = database;
    this.#into = into;
    this.#name = tableName(into.table);
    this.#columns = into.columns.map(({ name }) => quoteMysqlName(name));
  }

  /** @throws RowError if a row is too long for a statement; MysqlError */
  async write(changes: Changes): Promise<void> {
    const deleted = changes.operations.filter((operation) => operation === "d").length;
    if (this.#into.key.length === 0) await this.#deleteEqual(changes, deleted);
    else await this.#deleteByKey(changes, deleted);
    await this.#insert(changes, deleted, changes.rows.count);
  }

  /** Returns the changes that the server refuses. Call it outside of a transaction. @throws MysqlError */
  async refused(changes: Changes): Promise<readonly RefusedRow[]> {
    const rolledBack = new Error("nothing is kept");
    const refused: RefusedRow[] = [];
    const work = async (): Promise<never> => {
      await unfitRows(changes.rows.count, async (start, end) => {
        const why = await this.#failureOf(sliceChanges(changes, start, end));
        // The statement has a single row, so the row number in the error is of no use.
        if (why !== undefined && end - start === 1)
          refused.push({ row: start, why: why.replace(/ at row 1$/, "") });
        return why === undefined;
      });
      throw rolledBack;
    };
    await this.#database.transaction(work).catch((error: unknown) => {
      if (error !== rolledBack) throw error;
    });
    return refused;
  }

  /**
   * Writes changes, all or none.
   * @returns the server's message if it refuses one
   */
  async #failureOf(changes: Changes): Promise<string | undefined> {
    await this.#database.run(SQL`savepoint graphloom_rows`);
    try {
      await this.write(changes);
      return undefined;
    } catch (error) {
      if (!(error instanceof RowError) && !isUnfit(error)) throw error;
      await this.#database.run(SQL`rollback to savepoint graphloom_rows`);
      return error.message;
    }
  }

  async #deleteByKey(changes: Changes, count: number): Promise<void> {
    const { columns, key } = this.#into;
    const chosen = columns.filter(({ name }) => key.includes(name));
    const rows = rowTexts(changes, chosen, 0, count);
    const names = SQL`(${chosen.map(({ name }) => quoteMysqlName(name))})`;
    for (const list of this.#cut(rows, 0, deletedAtOnce))
      await this.#database.run(SQL`delete from ${this.#name} where ${names} in (${list})`);
  }

  /** Without a key, all columns identify a row. Each given row deletes one of several equal rows. */
  async #deleteEqual(changes: Changes, count: number): Promise<void> {
    const { columns } = this.#into;
    const texts = columns.map((column) => columnTexts(changes, column, 0, count));
    for (let row = 0; row < count; row += 1) {
      const equal = columns.map(({ name }, index) => {
        const value = texts[index]?.[row] ?? SQL`null`;
        return SQL`cast(${quoteMysqlName(name)} as binary) <=> cast(${value} as binary)`;
      });
      await this.#database.run(
        SQL`delete from ${this.#name} where ${joinFragments(equal, SQL` and `)} limit 1`,
      );
    }
  }

  async #insert(changes: Changes, start: number, end: number): Promise<void> {
    const rows = rowTexts(changes, this.#into.columns, start, end);
    const conflict = this.#onConflict();
    for (const list of this.#cut(rows, start, Number.POSITIVE_INFINITY))
      await this.#database.run(SQL`insert into ${this.#name} (${this.#columns}) values ${list}${conflict}`);
  }

  #onConflict(): SqlFragment {
    const { columns, key, onConflict } = this.#into;
    if (key.length === 0) return SQL``;
    const others = columns.filter(({ name }) => !key.includes(name)).map(({ name }) => quoteMysqlName(name));
    // Sets a column to itself: unlike "insert ignore", this still refuses values that do not fit.
    if (onConflict === "nothing" || others.length === 0) {
      const same = quoteMysqlName(key[0] ?? "");
      return SQL` on duplicate key update ${same} = ${this.#name}.${same}`;
    }
    return SQL` on duplicate key update ${others.map((name) => SQL`${name} = values(${name})`)}`;
  }

  /**
   * Divides rows into lists that fit into a statement.
   * @param offset index of the first row
   */
  #cut(rows: readonly SqlFragment[], offset: number, most: number): readonly SqlFragment[][] {
    const limit = this.#into.statementBytes - frameBytes;
    const lists: SqlFragment[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const [index, row] of rows.entries()) {
      const size = Buffer.byteLength(row) + 2;
      if (size > limit)
        throw new RowError(
          `A row has ${size} bytes, and the server takes statements of ${this.#into.statementBytes} bytes. Raise max_allowed_packet on the server.`,
          [offset + index],
        );
      const last = lists.at(-1);
      if (last && bytes + size <= Math.min(limit, enoughBytes) && last.length < most) {
        last.push(row);
        bytes += size;
      } else {
        lists.push([row]);
        bytes = size;
      }
    }
    return lists;
  }
}

/** Rows as SQL: `(1, 'text')`. */
function rowTexts(
  changes: Changes,
  columns: readonly RowColumn[],
  start: number,
  end: number,
): readonly SqlFragment[] {
  const texts = columns.map((column) => columnTexts(changes, column, start, end));
  return Array.from(
    { length: end - start },
    (_, row) => SQL`(${texts.map((column) => column[row] ?? SQL`null`)})`,
  );
}

function columnTexts(
  { rows, schema }: Changes,
  { name, type }: RowColumn,
  start: number,
  end: number,
): readonly SqlFragment[] {
  const index = schema.columns.findIndex((column) => column.name === name);
  return (rows.columns[index] ?? []).slice(start, end).map((value) => literal(value, type));
}
