import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import type { Changes } from "../../changes/net-changes.js";
import type { RowColumn } from "../../changes/schema.js";
import type { MysqlDatabase } from "../mysql-database.js";
import { RowError } from "../sink.js";
import type { WriteChanges, WrittenTable } from "../tables/table-dialect.js";
import { literal } from "./column-types.js";
import { quoteMysqlName, tableName } from "./mysql-text.js";

/** Bytes of a statement beside its rows. Generous, since column names are short. */
const frameBytes = 100_000;

/** Beyond this, statements do not get faster. */
const enoughBytes = 2_000_000;

/** The most rows to delete in one statement: for longer lists, servers stop using the index. */
const deletedAtOnce = 500;

/**
 * Prepares to write changes into a table: deletes by key, then inserts or updates each other row once.
 * The writer throws a RowError if a row is too long for a statement.
 * @throws MysqlError
 */
export async function changeWriter(
  database: MysqlDatabase,
  into: WrittenTable,
): Promise<WriteChanges<MysqlDatabase>> {
  const { rows } = await database.run(SQL`select @@max_allowed_packet as bytes`);
  const writer = new ChangeWriter(database, into, Number(rows[0]?.bytes));
  return (_, changes) => writer.write(changes);
}

class ChangeWriter {
  readonly #database: MysqlDatabase;
  readonly #into: WrittenTable;
  /** The largest statement that the server takes, in bytes. */
  readonly #statementBytes: number;
  readonly #name: SqlFragment;
  readonly #columns: readonly SqlFragment[];

  constructor(database: MysqlDatabase, into: WrittenTable, statementBytes: number) {
    this.#database = database;
    this.#into = into;
    this.#statementBytes = statementBytes;
    this.#name = tableName(into.table);
    this.#columns = into.columns.map(({ name }) => quoteMysqlName(name));
  }

  async write(changes: Changes): Promise<void> {
    const deleted = changes.operations.filter((operation) => operation === "d").length;
    if (this.#into.key.length === 0) await this.#deleteEqual(changes, deleted);
    else await this.#deleteByKey(changes, deleted);
    await this.#insert(changes, deleted, changes.rows.count);
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
    const limit = this.#statementBytes - frameBytes;
    const lists: SqlFragment[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const [index, row] of rows.entries()) {
      const size = Buffer.byteLength(row) + 2;
      if (size > limit)
        throw new RowError(
          `A row has ${size} bytes, and the server takes statements of ${this.#statementBytes} bytes. Raise max_allowed_packet on the server.`,
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
