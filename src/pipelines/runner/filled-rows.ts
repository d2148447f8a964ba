import { PipelineError } from "../changes/pipeline-error.js";
import type { Rows, RowVersion } from "../changes/rows.js";
import type { PlannedTable } from "../plan/pipeline-plan.js";

/** The limits of a table: versions of rows, and characters of all texts together. */
const most = { versions: 1_000_000, characters: 100_000_000 };

/** The rows of a dynamic table, each with the versions that it had from a block on. */
export class FilledRows {
  readonly #name: string;
  readonly #key: readonly number[];
  readonly #block: number;
  readonly #versions = new Map<string, RowVersion[]>();
  #count = 0;
  #characters = 0;

  /** @returns `undefined` for a table that only has values */
  static of({ name, key, fill }: PlannedTable): FilledRows | undefined {
    if (!key || !fill) return undefined;
    const names = fill.query.schema.columns.map((column) => column.name);
    return new FilledRows(
      name,
      key.map((column) => names.indexOf(column)),
      names.findIndex((column) => column.toLowerCase() === "block_number"),
    );
  }

  private constructor(name: string, key: readonly number[], block: number) {
    this.#name = name;
    this.#key = key;
    this.#block = block;
  }

  /** The versions of the row with a key, oldest first. */
  versions(key: readonly string[]): readonly RowVersion[] {
    return this.#versions.get(JSON.stringify(key)) ?? [];
  }

  /**
   * Adds rows. Of several with one key in one block, the last one counts.
   * @param range the blocks that they come from
   * @throws PipelineError if there are too many, or for a row of another block
   */
  add({ count, columns }: Rows, range: { readonly from: number; readonly to: number }): void {
    for (let row = 0; row < count; row += 1) {
      const values = columns.map((column) => column[row] ?? null);
      const key = this.#key.map((index) => values[index] ?? null);
      if (key.includes(null)) continue;
      const since = Number(values[this.#block]);
      if (!(since >= range.from && since <= range.to))
        throw new PipelineError(
          `Table ${this.#name} has a row with the block_number ${since} from blocks ${range.from} to ${range.to}. Let its query select the block_number of the row.`,
          false,
        );
      const text = JSON.stringify(key.map(String));
      const versions = this.#versions.get(text) ?? [];
      this.#versions.set(text, versions);
      const before = versions.findLastIndex((version) => version.since <= since);
      const replaced = versions[before]?.since === since ? 1 : 0;
      const removed = versions.splice(before + 1 - replaced, replaced, { since, values });
      this.#count += 1 - removed.length;
      this.#characters += charactersOf([{ since, values }]) - charactersOf(removed);
    }
    if (this.#count > most.versions || this.#characters > most.characters)
      throw new PipelineError(
        `Table ${this.#name} would have more than ${most.versions} rows or ${most.characters} characters, the most that can be looked up. Let its query choose fewer.`,
        false,
      );
  }

  /** Removes what a block and later ones have put in. */
  undo(from: number): void {
    this.#count = 0;
    this.#characters = 0;
    for (const [text, versions] of this.#versions) {
      const left = versions.filter(({ since }) => since < from);
      if (left.length < versions.length) this.#versions.set(text, left);
      if (left.length === 0) this.#versions.delete(text);
      this.#count += left.length;
      this.#characters += charactersOf(left);
    }
  }
}

function charactersOf(versions: readonly RowVersion[]): number {
  let sum = 0;
  for (const { values } of versions)
    for (const value of values) if (typeof value === "string") sum += value.length;
  return sum;
}
