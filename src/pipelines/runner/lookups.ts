import type { LookupTable, RowsPlace } from "../transforms/lookup-table.js";

/** The tables in which the queries of a program look values up. */
export class Lookups {
  /** By name in lower case. */
  readonly #tables = new Map<string, LookupTable>();
  #place: RowsPlace | undefined;
  #isTorn = false;

  add(name: string, table: LookupTable): void {
    this.#tables.set(name.toLowerCase(), table);
  }

  /**
   * Brings all tables up to the rows of a place.
   * @returns how often tables have removed values, which shows later whether the answers still hold
   * @throws errors of tables
   */
  async prepare(place: RowsPlace | undefined): Promise<number> {
    const tables = [...this.#tables.values()];
    for (const table of tables) await table.prepare(place);
    return this.undone;
  }

  /** The number of tables. */
  get size(): number {
    return this.#tables.size;
  }

  /** How often tables have removed values. */
  get undone(): number {
    return [...this.#tables.values()].reduce((sum, table) => sum + (table.undone?.() ?? 0), 0);
  }

  /** Starts answering for rows of a place. */
  look(place: RowsPlace | undefined): void {
    this.#place = place;
    this.#isTorn = false;
  }

  /** Whether a table has a value, at the last block of the place. */
  has(table: string, value: string): boolean {
    const since = this.#tables.get(table.toLowerCase())?.since(value);
    if (since === undefined || !this.#place) return since !== undefined;
    const { from, to } = this.#place;
    if (since > from && since <= to) this.#isTorn = true;
    return since <= to;
  }

  /** Whether a lookup found a value that was added within the place, so that the answer holds for only a part. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  async close(): Promise<void> {
    for (const table of this.#tables.values()) await table.close();
  }
}
