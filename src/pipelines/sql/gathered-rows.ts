import type { RowVersion } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { SqlEngine } from "./engine.js";

/** A table whose rows are read when they are looked up. */
export interface ReadRows {
  /** The row with a key: `null` if there is none, and `undefined` as long as it is not known. */
  find(key: readonly string[]): RowVersion | null | undefined;
  /** Finds out about rows with some keys. @throws errors of the table */
  load(keys: readonly (readonly string[])[]): Promise<void>;
}

/** Rows after which a table of the engine begins again, and characters of all their texts. */
const most = { rows: 200_000, characters: 100_000_000 };

/**
 * The rows of a table that queries join, as far as they have looked them up. A query cannot wait for a row, so it is
 * computed with nulls at first. Then the missing rows are read, and it is computed again.
 */
export class GatheredRows {
  readonly #table: string;
  readonly #columns: readonly RowColumn[];
  readonly #source: ReadRows;
  /** The number of each row in the engine's table. */
  readonly #numbers = new Map<RowVersion, bigint>();
  #characters = 0;
  readonly #found = new Set<RowVersion>();
  readonly #asked = new Map<string, readonly string[]>();

  /** @param table its name in the engine, where it has an empty row */
  constructor(table: string, columns: readonly RowColumn[], source: ReadRows) {
    this.#table = table;
    this.#columns = columns.map((column) => ({ ...column, nullable: true }));
    this.#source = source;
  }

  /** Empties the engine's table if it has become too large. */
  async begin(engine: SqlEngine): Promise<void> {
    this.#found.clear();
    this.#asked.clear();
    if (this.#numbers.size <= most.rows && this.#characters <= most.characters) return;
    await engine.createLookup(this.#table, { rows: { count: 0, columns: [] }, columns: this.#columns });
    this.#numbers.clear();
    this.#characters = 0;
  }

  /** The number of the row with a key: `null` if there is none, and `undefined` if it is to be read first. */
  numberOf(key: readonly string[]): bigint | null | undefined {
    const row = this.#source.find(key);
    if (row === undefined) this.#asked.set(JSON.stringify(key), key);
    if (!row) return row;
    const number = this.#numbers.get(row);
    if (number === undefined) this.#found.add(row);
    return number;
  }

  /** Reads rows that were missing. @returns whether none were */
  async complete(engine: SqlEngine): Promise<boolean> {
    if (this.#asked.size + this.#found.size === 0) return true;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    if (asked.length > 0) await this.#source.load(asked);
    for (const key of asked) this.numberOf(key);
    if (this.#asked.size > 0) throw new Error(`${this.#table} does not say whether it has a key`);
    const rows = [...this.#found];
    this.#found.clear();
    const columns = this.#columns.map((_, column) => rows.map(({ values }) => values[column] ?? null));
    await engine.extendLookup(this.#table, this.#columns, { count: rows.length, columns });
    for (const row of rows) {
      this.#numbers.set(row, BigInt(this.#numbers.size + 1));
      for (const value of row.values) if (typeof value === "string") this.#characters += value.length;
    }
    return false;
  }
}
