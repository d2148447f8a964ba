import { type Database, DatabaseError, SQL, type Sql } from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { arrayText } from "../database/sql-array.js";
import { changeOf } from "./change-of.js";
import { originOf } from "./change-origin.js";
import {
  type Cursor,
  type Feed,
  type RowChange,
  type Snapshot,
  SnapshotLost,
  type SnapshotPage,
} from "./feed.js";
import { cursorOf, FeedReader } from "./feed-reader.js";
import type { EntityTable, Layout } from "./layout.js";
import { rowJson } from "./row-json.js";
import { versionsSql } from "./versions-sql.js";

/** The deployment, reader and tables of a feed. */
export interface TableFeedOptions {
  readonly database: Database;
  /** The deployment's number. */
  readonly deployment: number;
  readonly layout: Layout;
  /** The reader's name, the same after a restart. */
  readonly reader: string;
  /** The names of the tables; all by default. */
  readonly tables?: readonly string[];
}

const defaultPage = 1_000;

/** The feed of a deployment's tables, read from their change log. */
export class TableFeed implements Feed {
  readonly #options: TableFeedOptions;
  readonly #tables: readonly EntityTable[];
  readonly #reader: FeedReader;

  constructor(options: TableFeedOptions) {
    this.#options = options;
    const { database, deployment, tables, layout, reader } = options;
    this.#tables = layout.tables.filter(({ name }) => tables?.includes(name) ?? true);
    this.#reader = new FeedReader({ database, deployment, namespace: layout.namespace, name: reader });
  }

  cursor(): Promise<Cursor | undefined> {
    return this.#reader.cursor();
  }

  async latest(): Promise<Cursor> {
    const { database, deployment } = this.#options;
    const [row] = await database.query(
      SQL`select feed_seq from graphloom.deployments where id = $1::integer`,
      [String(deployment)],
    );
    return cursorOf(row?.feed_seq);
  }

  async start(): Promise<Cursor> {
    return this.#options.database.transaction(async (sql) => {
      const { seq } = await this.#lock(sql);
      const known = await this.#reader.cursor(sql);
      if (known !== undefined) return known;
      await this.#reader.register(sql, seq);
      return cursorOf(seq);
    });
  }

  async begin(): Promise<Snapshot> {
    return this.#options.database.transaction(async (sql) => {
      const { seq, block, origin } = await this.#lock(sql);
      await this.#reader.register(sql, seq);
      return {
        block,
        cursor: cursorOf(seq),
        origin,
        pages: (size) => this.#pages(block, seq, size ?? defaultPage),
      };
    });
  }

  /**
   * Makes writers and starting readers wait, so that every later change is in the log. @returns the log's position
   */
  async #lock(
    sql: Sql,
  ): Promise<{ readonly seq: string; readonly block: number | undefined; readonly origin: string }> {
    const { deployment } = this.#options;
    const [row] = await sql.query(
      SQL`select feed_seq, feed_branch, head_number, head_hash from graphloom.deployments where id = $1::integer for update`,
      [String(deployment)],
    );
    if (!row) throw new DatabaseError(`the database has no deployment ${deployment}`);
    const block = row.head_number == null ? undefined : Number(row.head_number);
    const origin = originOf(row.feed_branch ?? "", { hash: row.head_hash ?? "" });
    return { seq: row.feed_seq ?? "0", block, origin };
  }

  async changes(after: Cursor, limit: number): Promise<readonly RowChange[]> {
    const rows = await this.#options.database.query(
      SQL`select seq, block, op, table_name, vid, old, new, origin from ${this.#reader.log}
        where seq > $1::bigint and table_name = any($2::text[]) order by seq limit $3::integer`,
      [after, arrayText(this.#tables.map(({ name }) => name)), String(limit)],
    );
    return rows.map(changeOf);
  }

  keep(cursor: Cursor, sql?: Sql): Promise<void> {
    return sql ? this.#reader.keepWithin(sql, cursor) : this.#reader.keep(cursor);
  }

  end(): Promise<void> {
    return this.#reader.end();
  }

  async *#pages(block: number | undefined, seq: string, size: number): AsyncGenerator<SnapshotPage> {
    if (block === undefined) return;
    for (const table of this.#tables) {
      for (let after = "-1"; ; ) {
        const { rows, blocks } = await this.#page(table, block, seq, after, size);
        if (rows.length > 0) yield { table: table.name, rows, blocks };
        if (rows.length < size) break;
        after = rows.at(-1)?.vid ?? after;
      }
    }
  }

  /** Later blocks do not change what was valid at the block. A revert to below it does, and is in the log. */
  async #page(
    table: EntityTable,
    block: number,
    seq: string,
    after: string,
    size: number,
  ): Promise<Pick<SnapshotPage, "rows" | "blocks">> {
    const { begins, visibleAt } = versionsSql(table, "t");
    const [read] = await this.#options.database.query(
      SQL`select exists (select 1 from ${this.#reader.log} where seq > $2::bigint and block <= $1::integer) as lost, exists (
          select 1 from graphloom.deployments
            where id = $5::integer and earliest_block > $1::integer and earliest_block > start_block) as pruned,
        page.rows, page.blocks from (
          select jsonb_agg(page.row order by page.vid) as rows, jsonb_agg(page.block order by page.vid) as blocks from (
            select t.vid, ${begins} as block, ${rowJson(table, SQL`t`)} as row from ${quoteNames(this.#options.layout.namespace, table.name)} t
            where ${visibleAt(SQL`$1::integer`)} and t.vid > $3::bigint order by t.vid limit $4::integer) page) page`,
      [String(block), seq, after, String(size), String(this.#options.deployment)],
    );
    if (read?.pruned === "t") throw new SnapshotLost(`block ${block} is older than the kept history`);
    if (!read || read.lost === "t") throw new SnapshotLost(`a reorganisation reverted block ${block}`);
    const { rows, blocks } = read;
    return { rows: rows == null ? [] : JSON.parse(rows), blocks: blocks == null ? [] : JSON.parse(blocks) };
  }
}
