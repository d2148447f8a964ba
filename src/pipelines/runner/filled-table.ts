import { PipelineError } from "../changes/pipeline-error.js";
import { noRows, type Rows, type RowVersion } from "../changes/rows.js";
import type { Source, SourceBatch, SourcePosition } from "../sources/source.js";
import { SourceError } from "../sources/source-error.js";
import type { TableStep, TableStore, TableValues } from "../transforms/dynamic-table/table-store.js";
import type { LookupTable, RowsPlace } from "../transforms/lookup-table.js";
import { appliedNamed } from "./faulty-row.js";
import type { FilledRows } from "./filled-rows.js";
import { blockColumn, halves, type PlacedRows } from "./halve-rows.js";
import type { Program } from "./program.js";

/** The limits of a table: values, and characters of all values together. */
const most = { values: 1_000_000, characters: 100_000_000 };

/** A table that a query fills. */
export interface FilledTableOptions {
  readonly name: string;
  /** The name of the query's source. */
  readonly source: string;
  /** The last block of the source; `undefined` if it has none. */
  readonly end: number | undefined;
  /** Opens the query. Its only column contains the values, unless the table has rows. */
  openProgram(): Promise<Program>;
  /** Opens the source. @param to a block that must be read */
  openSource(to: number): Source;
  /** The rows of a table with a key; absent if it only has values. */
  readonly rows?: FilledRows | undefined;
  /** Where to save the table; only in memory if absent. */
  readonly store?: TableStore | undefined;
}

/**
 * A table that a query fills. A value is in it from the block that adds it, so its content for a row depends only on
 * the chain: not on how fast its source and the row's source are read, nor on restarts. It reads its source as far as
 * a caller needs, and sinks at different blocks share it.
 */
export class FilledTable implements LookupTable {
  readonly #options: FilledTableOptions;
  #values: TableValues = new Map();
  #characters = 0;
  #position: SourcePosition | undefined;
  #isLoaded = false;
  #program: Program | undefined;
  #batches: AsyncIterator<SourceBatch> | undefined;
  /** Whether the source has not returned anything since it was opened. */
  #isFresh = true;
  #undone = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FilledTableOptions) {
    this.#options = options;
  }

  /** How often values were removed. Earlier answers may be wrong. */
  undone(): number {
    return this.#undone;
  }

  prepare(place: RowsPlace | undefined): Promise<void> {
    const turn = this.#turn.then(() => this.#reach(place));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  since(value: string): number | undefined {
    const { rows } = this.#options;
    return rows ? rows.versions([value])[0]?.since : this.#values.get(value);
  }

  /** The versions of the row with a key, oldest first, of a table with rows. */
  versions(key: readonly string[]): readonly RowVersion[] {
    return this.#options.rows?.versions(key) ?? [];
  }

  async close(): Promise<void> {
    this.#letGo();
    await this.#turn;
    await this.#program?.close();
    await this.#options.store?.close();
  }

  async #reach(place: RowsPlace | undefined): Promise<void> {
    if (!place) throw new Error(`rows without blocks cannot be looked up in table ${this.#options.name}`);
    try {
      await this.#load();
      await this.#read(place);
      await this.#follow(place);
    } catch (error) {
      // Reads again from the store what was written, and reopens the source.
      this.#letGo();
      this.#isLoaded = this.#options.store === undefined;
      throw error;
    }
    const others = await this.#options.store?.reload();
    if (others) this.#replace(others);
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    const kept = await this.#options.store?.load();
    if (kept) this.#replace(kept.values);
    this.#position = kept?.position;
    this.#isLoaded = true;
  }

  /** Whether the table has read all blocks of a place, from the same branch of the chain as the rows. */
  #covers({ to, hash }: RowsPlace): boolean {
    const { next, open } = this.#position ?? { next: -1, open: [] };
    // If the blocks were final for the rows, they must be final for the table, too: before that, it may have read
    // others.
    return next > to && (hash !== undefined || (open[0]?.number ?? next) > to);
  }

  async #read(place: RowsPlace): Promise<void> {
    while (!this.#covers(place) && (await this.#step(place.to)) !== "over");
  }

  /**
   * Removes blocks that were replaced before the rows' own blocks were read. A reopened source first compares its
   * blocks with the chain.
   * @throws SourceError if the blocks of the rows are no longer on the chain
   */
  async #follow(place: RowsPlace): Promise<void> {
    if (!this.#differs(place)) return;
    this.#letGo();
    while (this.#differs(place)) {
      const step = await this.#step(place.to);
      if (step === "undone") await this.#read(place);
      else if (step !== "ended" && this.#differs(place))
        throw new SourceError(
          `Block ${place.to} is being replaced: table ${this.#options.name} was filled from another block of this number.`,
          true,
        );
    }
  }

  /** Whether the table was filled from another block than the rows. */
  #differs({ to, hash }: RowsPlace): boolean {
    const own = this.#position?.open.find(({ number }) => number === to);
    return hash !== undefined && own !== undefined && own.hash !== hash;
  }

  /** Reads the next batch. */
  async #step(to: number): Promise<"read" | "undone" | "ended" | "over"> {
    const { source, name, end } = this.#options;
    if (!this.#batches) {
      this.#batches = this.#options.openSource(to).batches(this.#position)[Symbol.asyncIterator]();
      this.#isFresh = true;
    }
    const { done, value } = await this.#batches.next();
    if (!done) {
      this.#isFresh = false;
      await this.#take(value);
      return value.isUndone ? "undone" : "read";
    }
    this.#batches = undefined;
    if (!this.#isFresh) return "ended";
    // If a source ends immediately, its blocks are still on the chain.
    const next = this.#position?.next ?? -1;
    if (next > to || (end !== undefined && next > end)) return "over";
    throw new SourceError(`Source ${source} of table ${name} has ended before block ${to}.`, true);
  }

  async #take({ from, to, isUndone, delta: { plus }, position }: SourceBatch): Promise<void> {
    const added: TableValues = new Map();
    const hash = position.open.find(({ number }) => number === to)?.hash;
    const { rows } = this.#options;
    if (rows && isUndone) rows.undo(from);
    else if (rows && plus.count > 0)
      rows.add(await this.#made({ rows: plus, place: { from, to, hash } }), { from, to });
    if (rows) return this.#apply({ added, undone: isUndone ? from : undefined, position });
    if (!isUndone) await this.#gather({ rows: plus, place: { from, to, hash } }, added);
    const step: TableStep = { added, undone: isUndone ? from : undefined, position };
    this.#refuseTooMany(added);
    await this.#options.store?.write(step);
    this.#apply(step);
  }

  /** Finds the values that rows add. Divides the blocks to locate new values, but only if there are any. */
  async #gather({ rows, place }: PlacedRows, added: TableValues): Promise<void> {
    if (rows.count === 0) return;
    const made = await this.#made({ rows, place });
    const columns = this.#program?.sources[0]?.schema.columns ?? [];
    const texts = (made.columns[0] ?? []).flatMap((value) => (value === null ? [] : [String(value)]));
    const found = texts.filter((text) => !this.#values.has(text) && !added.has(text));
    if (found.length === 0) return;
    const [first, second] = halves(rows, blockColumn(columns), place);
    if (first && second) {
      await this.#gather(first, added);
      await this.#gather(second, added);
    } else for (const text of found) added.set(text, first?.place.from ?? place.to);
  }

  /** What the query makes of rows. */
  async #made({ rows, place }: PlacedRows): Promise<Rows> {
    this.#program ??= await this.#options.openProgram();
    const columns = this.#program.sources[0]?.schema.columns ?? [];
    const delta = { minus: noRows(columns.length), plus: rows };
    return (await appliedNamed(this.#program, this.#options.source, delta, place)).plus;
  }

  #apply({ added, undone, position }: TableStep): void {
    if (undone !== undefined) {
      this.#undone += 1;
      const left = [...this.#values].filter(([, block]) => block < undone);
      this.#replace(new Map(left));
    }
    for (const [value, block] of added) {
      this.#values.set(value, block);
      this.#characters += value.length;
    }
    this.#position = position;
  }

  #replace(values: TableValues): void {
    this.#values = values;
    this.#characters = [...values.keys()].reduce((sum, { length }) => sum + length, 0);
    this.#refuseTooMany(new Map());
  }

  /** All values are in memory, so their number is limited. */
  #refuseTooMany(added: TableValues): void {
    const characters = [...added.keys()].reduce((sum, { length }) => sum + length, this.#characters);
    if (this.#values.size + added.size <= most.values && characters <= most.characters) return;
    throw new PipelineError(
      `Table ${this.#options.name} would have more than ${most.values} values or ${most.characters} characters, the most that can be looked up. Let its query choose fewer.`,
      false,
    );
  }

  #letGo(): void {
    // Not awaited: a source that waits for its node ends when the node answers.
    void this.#batches?.return?.().catch(() => undefined);
    this.#batches = undefined;
  }
}
