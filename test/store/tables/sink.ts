import { expect } from "vitest";
import { type Database, type Row, SQL } from "../../../src/store/database/database.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import type { Cursor, Feed, RowChange } from "../../../src/store/tables/feed.js";
import type { Layout } from "../../../src/store/tables/layout.js";
import { rowJson } from "../../../src/store/tables/row-json.js";

/** The rows that a reader has built from a feed. Every change must fit them. */
export class Sink {
  readonly rows = new Map<string, Row>();
  readonly applied: RowChange[] = [];
  readonly #feed: Feed;
  #cursor: Cursor | undefined;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** Starts, or starts again, from a snapshot in pages of `size` rows. */
  async begin(size: number): Promise<void> {
    const { cursor, pages } = await this.#feed.begin();
    this.rows.clear();
    for await (const { table, rows } of pages(size)) {
      for (const row of rows) this.#insert(table, row);
    }
    this.#cursor = cursor;
  }

  /** Applies all pending changes, `size` at a time. Confirms them if `keeps` is set. */
  async drain(size: number, keeps: boolean): Promise<void> {
    for (;;) {
      if (this.#cursor === undefined) throw new Error("the sink has not begun");
      const changes = await this.#feed.changes(this.#cursor, size);
      for (const change of changes) this.#apply(change);
      if (keeps) await this.#feed.keep(this.#cursor);
      if (changes.length < size) return;
    }
  }

  #apply(change: RowChange): void {
    const { table, op, old } = change;
    if (op !== "i") {
      const key = `${table} ${old?.id}`;
      expect(old, "the row before is the one there is").toEqual(this.rows.get(key));
      this.rows.delete(key);
    }
    if (op !== "d" && change.new) this.#insert(table, change.new);
    expect(this.#cursor === undefined || change.cursor > this.#cursor).toBe(true);
    this.#cursor = change.cursor;
    this.applied.push(change);
  }

  #insert(table: string, row: Row): void {
    const key = `${table} ${row.id}`;
    expect(this.rows.has(key), `${key} is not there yet`).toBe(false);
    this.rows.set(key, row);
  }
}

/** The current rows. */
export async function currentRows(
  database: Database,
  { namespace, tables }: Layout,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const table of tables) {
    const rows = await database.query(
      SQL`select ${rowJson(table, SQL`t`)} as row from ${quoteNames(namespace, table.name)} t
        where ${table.immutable ? SQL`true` : SQL`upper_inf(t.block_range)`}`,
    );
    for (const { row } of rows) {
      const values: Row = JSON.parse(row ?? "{}");
      found.set(`${table.name} ${values.id}`, values);
    }
  }
  return found;
}
