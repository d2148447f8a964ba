import { ledgerEntry } from "../../changes/ledger.js";
import type { Changes } from "../../changes/net-changes.js";
import { hashesOfRows, sumOfRows } from "../../changes/row-hash.js";
import { noRows, type Rows, textOfRow } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type {
  AuditOptions,
  BlockRange,
  DifferenceKind,
  RowDifference,
  RowDifferences,
  StoredRows,
} from "../audit.js";
import type { FolderOwner } from "./file-folder.js";
import type { AuditedFiles } from "./window-files.js";
import type { WindowLayout } from "./window-layout.js";

export interface AuditedFolder extends FolderOwner {
  readonly files: AuditedFiles;
  /** Blocks that a file covers at most. */
  readonly blocksPerFile: number;
  /** Names of columns by which rows are called. */
  readonly key: readonly string[];
}

/** The files of a folder. */
interface FoundFiles {
  /** The windows that follow each other, by source. */
  readonly windows: ReadonlyMap<string, readonly BlockRange[]>;
  /** Paths of files that are none of ours. */
  readonly strays: readonly string[];
  /** What is wrong with the files as such, a sentence each. */
  readonly notes: readonly string[];
}

/** Compares files with what should be in them, one window of blocks after another. */
export class StoredFiles implements StoredRows {
  readonly #folder: AuditedFolder;
  readonly #windows: ReadonlyMap<string, readonly BlockRange[]>;
  readonly #options: AuditOptions;
  readonly #columns: readonly RowColumn[];
  readonly #layout: WindowLayout;
  readonly #counts: Record<DifferenceKind, number> = { missing: 0, altered: 0, doubled: 0, foreign: 0 };
  readonly #first: RowDifference[] = [];
  readonly #notes: string[];
  readonly #strays: readonly string[];

  constructor(
    folder: AuditedFolder,
    layout: WindowLayout,
    { windows, strays, notes }: FoundFiles,
    options: AuditOptions,
  ) {
    this.#folder = folder;
    this.#windows = windows;
    this.#options = options;
    this.#columns = folder.columns;
    this.#layout = layout;
    this.#strays = strays;
    this.#notes = [...notes];
  }

  async expect(
    source: string,
    range: BlockRange,
    { rows }: Changes,
    _agrees: boolean,
    part = source,
  ): Promise<void> {
    const before = this.#found;
    const stored = await this.#read(part, range);
    if (stored.count !== rows.count || sumOfRows(stored) !== sumOfRows(rows)) this.#compare(rows, stored);
    if (this.#found === before || !this.#options.mends) return;
    const entry = ledgerEntry(range.from, range.to, { minus: noRows(this.#columns.length), plus: rows });
    await this.#layout.write(part, [rows], entry, true);
  }

  /** How much was found to be wrong. */
  get #found(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, this.#notes.length);
  }

  /** Files hold all rows of a window, whatever comes later. */
  async overtake(): Promise<void> {}

  async differs(): Promise<boolean> {
    return false;
  }

  async finish(): Promise<RowDifferences> {
    return { counts: this.#counts, first: this.#first, notes: this.#notes, strays: this.#strays };
  }

  /** The rows of the existing part of a window, with notes about missing files. */
  async #read(source: string, range: BlockRange): Promise<Rows> {
    const { from, to } = range;
    const note = (sentence: string): void => {
      this.#notes.push(sentence);
    };
    const windows = this.#windows.get(source) ?? [];
    const place = windows.findIndex((window) => window.from === from && window.to === to);
    if (place !== -1) return this.#layout.read(source, range, note, place === windows.length - 1);
    note(`${this.#layout.nameOf(source, range)} is missing.`);
    return noRows(this.#columns.length);
  }

  /** A row that is not as it should be is altered if one with its key is missing, and else one too many. */
  #compare(expected: Rows, stored: Rows): void {
    const unmatched = new Map<bigint, number[]>();
    const keys = new Set<string>();
    for (const [row, hash] of hashesOfRows(expected).entries()) {
      add(unmatched, hash, row);
      keys.add(this.#keyText(expected, row));
    }
    const surplus: number[] = [];
    for (const [row, hash] of hashesOfRows(stored).entries())
      if (unmatched.get(hash)?.pop() === undefined) surplus.push(row);
    const missing = new Map<string, number[]>();
    for (const row of [...unmatched.values()].flat()) add(missing, this.#keyText(expected, row), row);
    for (const row of surplus) {
      const key = this.#keyText(stored, row);
      const partner = this.#folder.key.length === 0 ? undefined : missing.get(key)?.shift();
      if (partner !== undefined)
        this.#note("altered", stored, row, this.#different(expected, partner, stored, row));
      else this.#note(keys.has(key) ? "doubled" : "foreign", stored, row);
    }
    for (const row of [...missing.values()].flat()) this.#note("missing", expected, row);
  }

  /** Indexes of the columns by which rows are called: the key, or all. */
  get #called(): readonly number[] {
    const { key } = this.#folder;
    return this.#columns.flatMap(({ name }, index) =>
      key.length === 0 || key.includes(name) ? [index] : [],
    );
  }

  #keyText(rows: Rows, row: number): string {
    return textOfRow(rows, row, this.#called);
  }

  /** Names of the columns in which two rows differ. */
  #different(one: Rows, oneRow: number, other: Rows, otherRow: number): readonly string[] {
    return this.#columns.flatMap(({ name }, index) =>
      textOfRow(one, oneRow, [index]) === textOfRow(other, otherRow, [index]) ? [] : [name],
    );
  }

  #note(kind: DifferenceKind, rows: Rows, row: number, columns?: readonly string[]): void {
    this.#counts[kind] += 1;
    if (this.#first.length >= this.#options.most) return;
    const key = this.#called.map((index) => {
      const value = rows.columns[index]?.[row] ?? null;
      return [this.#columns[index]?.name ?? "", value === null ? null : String(value)] as const;
    });
    this.#first.push({ kind, key: Object.fromEntries(key), ...(columns && { columns }) });
  }
}

function add<K>(lists: Map<K, number[]>, key: K, row: number): void {
  const list = lists.get(key);
  if (list) list.push(row);
  else lists.set(key, [row]);
}
