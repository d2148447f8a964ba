import type { RowVersion } from "../changes/rows.js";
import type { ReadRows } from "../sql/gathered-rows.js";
import type { LookupTable, RowsPlace, RowTable } from "../transforms/lookup-table.js";

/** The tables in which the queries of a program look values up. */
export class Lookups {
  /** By name in lower case. */
  readonly #tables = new Map<string, LookupTable>();
  /** Tables in databases with whose rows queries join, by name. */
  readonly #rows = new Map<string, RowTable>();
  #place: RowsPlace | undefined;
  #isTorn = false;

  add(name: string, table: LookupTable): void {
    this.#tables.set(name.toLowerCase(), table);
  }

  addRows(name: string, table: RowTable): void {
    this.#rows.set(name, table);
  }

  /** The names of tables whose rows may change. */
  get changing(): readonly string[] {
    return [...this.#rows.keys()];
  }

  /** A table with whose rows queries join; `undefined` if there is none with this name. */
  rowsOf(name: string): ReadRows | undefined {
    const dynamic = this.#tables.get(name.toLowerCase());
    if (dynamic) return { find: (key) => this.#find(dynamic, key), load: async () => undefined };
    const table = this.#rows.get(name);
    return table && { find: (key) => this.#find(table, key), load: (keys) => table.load(keys) };
  }

  /**
   * Brings all tables up to the rows of a place.
   * @returns how often tables have removed values, which shows later whether the answers still hold
   * @throws errors of tables
   */
  async prepare(place: RowsPlace | undefined): Promise<number> {
    const tables = [...this.#tables.values(), ...this.#rows.values()];
    for (const table of tables) await table.prepare(place);
    return this.undone;
  }

  /** The number of tables. */
  get size(): number {
    return this.#tables.size + this.#rows.size;
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

  /** The version of a row at the last block of the place. */
  #find(table: Partial<Pick<RowTable, "versions">>, key: readonly string[]): RowVersion | null | undefined {
    const versions = table.versions?.(key);
    if (!versions || !this.#place) return versions && (versions.at(-1) ?? null);
    const { from, to } = this.#place;
    const found = versions.findLast(({ since }) => since <= to);
    if (found && found.since > from) this.#isTorn = true;
    return found ?? null;
  }

  /** Whether a lookup found a value that was added within the place, so that the answer holds for only a part. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  async close(): Promise<void> {
    for (const table of [...this.#tables.values(), ...this.#rows.values()]) await table.close();
  }
}
