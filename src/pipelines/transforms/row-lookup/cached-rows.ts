import { quote } from "../../../base/text/quote.js";
import { quoteForeign } from "../../../base/text/quote-foreign.js";
import type { World } from "../../../base/world.js";
import type { RowValue, RowVersion } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import { cellValue } from "../../definition/read-lookup-file.js";
import type { PlannedLookup } from "../../plan/pipeline-plan.js";
import type { RowTable } from "../lookup-table.js";
import { TransformError } from "../row-transform.js";

/** The rows of a table in a database. */
export interface LookedUpTable {
  /**
   * Reads rows with some keys, or with keys that the database takes for equal.
   * @param keys a text for each column of the key
   * @param most how many rows at most
   * @returns a text for each column of the lookup, and after those the block from which on the row counts if it has one
   * @throws PipelineError
   */
  read(keys: readonly (readonly string[])[], most: number): Promise<readonly (readonly (string | null)[])[]>;
  close(): Promise<void>;
}

export interface CachedRowsOptions {
  readonly planned: PlannedLookup;
  readonly table: LookedUpTable;
  /** Whether rows say from which block on they count. */
  readonly hasHistory: boolean;
  /** Milliseconds for which a row is used again. */
  readonly ttl: number;
  /** About how many rows, and keys without one, stay in memory between two batches. */
  readonly most: number;
  readonly clock: Pick<World, "now">;
}

/** The most characters of a value. Databases cut a text to one more. */
export const longestText = 16_384;
/** Keys of a query, rows of its answer, and characters of all rows that a batch looks up. */
const limits = { keys: 1_000, rows: 100_000, characters: 100_000_000 };

interface Entry {
  readonly versions: readonly RowVersion[];
  readonly readAt: number;
}

/**
 * Rows of a database that were looked up. They are kept for a while: in two halves, of which the older one is dropped
 * when the younger one is full. Rows that a batch uses stay until it ends.
 */
export class CachedRows implements RowTable {
  readonly #options: CachedRowsOptions;
  readonly #key: readonly number[];
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  /** Of the younger half: rows, and characters. */
  #size = 0;
  #characters = 0;
  /** The time at which the batch began. */
  #now = 0;

  constructor(options: CachedRowsOptions) {
    this.#options = options;
    const { key, columns } = options.planned;
    this.#key = key.map((name) => columns.findIndex((column) => column.name === name));
  }

  async prepare(): Promise<void> {
    const { most, clock } = this.#options;
    this.#now = clock.now();
    if (this.#size <= most / 2 && this.#characters <= limits.characters / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#size = 0;
    this.#characters = 0;
  }

  versions(key: readonly string[]): readonly RowVersion[] | undefined {
    const text = JSON.stringify(key);
    const young = this.#young.get(text);
    const entry = young ?? this.#old.get(text);
    if (!entry || entry.readAt < this.#now - this.#options.ttl) return undefined;
    if (!young) this.#keep(text, entry);
    return entry.versions;
  }

  async load(keys: readonly (readonly string[])[]): Promise<void> {
    for (let start = 0; start < keys.length; start += limits.keys)
      await this.#load(keys.slice(start, start + limits.keys));
  }

  async close(): Promise<void> {
    await this.#options.table.close();
  }

  async #load(keys: readonly (readonly string[])[]): Promise<void> {
    const { table, hasHistory } = this.#options;
    const rows = await table.read(keys, limits.rows + 1);
    if (rows.length > limits.rows)
      throw this.#fault(
        `the table has more than ${limits.rows} rows of ${keys.length} keys`,
        "Look up in a view that has fewer",
      );
    const found = new Map<string, RowVersion[]>(keys.map((key) => [JSON.stringify(key), []]));
    for (const texts of rows) {
      const values = this.#values(texts);
      // Databases may take other texts for equal, with other capital letters for example.
      const versions = found.get(JSON.stringify(this.#key.map((index) => String(values[index]))));
      versions?.push({ since: hasHistory ? this.#blockIn(texts.at(-1) ?? null) : 0, values });
    }
    for (const [text, versions] of found) {
      versions.sort((one, other) => one.since - other.since);
      const twice = versions.find(({ since }, index) => versions[index + 1]?.since === since);
      if (twice) throw this.#repeated(twice);
      const before = this.#young.get(text) ?? this.#old.get(text);
      this.#keep(text, { versions: versions.map((one) => sameVersion(one, before)), readAt: this.#now });
    }
  }

  #keep(text: string, entry: Entry): void {
    this.#young.set(text, entry);
    this.#size += Math.max(1, entry.versions.length);
    this.#characters += text.length;
    for (const { values } of entry.versions)
      for (const value of values) if (typeof value === "string") this.#characters += value.length;
    if (this.#characters > limits.characters)
      throw this.#fault(
        `the rows of one batch have more than ${limits.characters} characters`,
        "Look up fewer columns",
      );
  }

  #values(texts: readonly (string | null)[]): readonly RowValue[] {
    return this.#options.planned.columns.map((column, index) => this.#value(texts[index] ?? null, column));
  }

  #value(text: string | null, { name, type }: RowColumn): RowValue {
    if (text !== null && text.length > longestText)
      throw this.#fault(
        `a text in ${quote(name)} has more than ${longestText} characters`,
        "Look up another column, or a view that cuts it",
      );
    const value = cellValue({ text, kind: "string" }, type);
    if (value !== undefined) return value;
    throw this.#fault(
      `${quoteForeign(String(text))} in ${quote(name)} is not a value of the column's type in the definition`,
      "Choose another type, or look up in a view that casts it",
    );
  }

  /** A row that does not say from when on it counts always does. */
  #blockIn(text: string | null): number {
    const block = Number(text ?? 0);
    if (/^\d*$/.test(text ?? "") && Number.isSafeInteger(block)) return block;
    throw this.#fault(
      `${quoteForeign(String(text))} in the column of valid_from is not a block number`,
      "Name a column of integers",
    );
  }

  #repeated({ values, since }: RowVersion): TransformError {
    const { planned, hasHistory } = this.#options;
    const key = planned.key.map((name, index) => `${name} ${String(values[this.#key[index] ?? 0])}`);
    const from = hasHistory ? ` from block ${since} on` : "";
    return this.#fault(
      `the table has two rows with ${quoteForeign(key.join(", "))}${from}, so that a row would become two`,
      hasHistory
        ? "Remove one, or add a column to the key"
        : "Remove one, add a column to the key, or name the column of the block in valid_from",
    );
  }

  #fault(why: string, remedy: string): TransformError {
    return new TransformError(`Lookup ${this.#options.planned.name}: ${why}. ${remedy}.`, false);
  }
}

/** The version that was read before, if it is the same: the engine knows its row. */
function sameVersion(read: RowVersion, before: Entry | undefined): RowVersion {
  const same = before?.versions.find(
    ({ since, values }) =>
      since === read.since && values.every((value, index) => value === read.values[index]),
  );
  return same ?? read;
}
