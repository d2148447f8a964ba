import { parseJson } from "../../../base/text/json-value.js";
import { visible } from "../../../base/text/visible.js";
import type { Column } from "../../../datasets/parquet/column.js";
import type { ParquetForm } from "../../../datasets/parquet/write-parquet.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import { joinRows, noRows, type Rows, type RowValue } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type { StoredRows } from "../../changes/stored-rows.js";
import type { BlockRange } from "../audit.js";
import { partitionValues } from "./partition-folder.js";
import { splitRows, storedPartitions } from "./split-rows.js";
import {
  aboutEntry,
  aboutFile,
  entryIn,
  readEntryOf,
  readNoted,
  readWindow,
  rowPieces,
  storedColumns,
  windowPieces,
} from "./window-file.js";
import type { AuditedFiles } from "./window-files.js";
import type { WindowLayout, WriteWith } from "./window-layout.js";
import { sourceFolder, type WindowFile, windowName, windowsIn } from "./window-names.js";

/** Readers of partitions pass over names that begin so. */
const recordFolder = "_windows";
const recordEnding = ".window";

/** Where the metadata of a record has the folders of its window. Without it, the window is not complete. */
const foldersKey = "graphloom.partitions";
/** Where it has those from before, while the window is written again. */
const earlierKey = "graphloom.earlier_partitions";
/** More than the metadata of a record takes with the folders of a window that was written several times. */
const recordBytes = 4 * 1024 * 1024;

/**
 * Windows with a file for each partition: `transfers/dt=2024-01-01/000000000000-000000009999.parquet`. A record says what is
 * there: `transfers/_windows/000000000000-000000009999.window`. It is written first, with all rows of the window, and
 * again without them once all files are there. So a window that was interrupted can be completed from its record alone.
 * Where a window is written again and has no rows for a partition any more, the file there becomes an empty one.
 */
export class PartitionedWindows implements WindowLayout {
  readonly #files: AuditedFiles;
  readonly #all: readonly RowColumn[];
  /** Indexes of the columns in names of folders, and of those in files. */
  readonly #named: readonly number[];
  readonly #held: readonly number[];

  readonly #form: ParquetForm;

  /** @param partitions names of columns, in the order of folders */
  constructor(
    files: AuditedFiles,
    columns: readonly RowColumn[],
    partitions: readonly string[],
    form: ParquetForm = {},
  ) {
    this.#form = form;
    this.#files = files;
    this.#all = columns;
    this.#named = partitions.map((name) => columns.findIndex((column) => column.name === name));
    this.#held = columns.flatMap(({ name }, index) => (partitions.includes(name) ? [] : [index]));
  }

  windowsOf(source: string, paths: readonly string[]): readonly WindowFile[] {
    return windowsIn(`${sourceFolder(source)}/${recordFolder}`, recordEnding, paths);
  }

  nameOf(source: string, { from, to }: BlockRange): string {
    return `${sourceFolder(source)}/${recordFolder}/${windowName(from, to)}${recordEnding}`;
  }

  async pathsOf(source: string, range: BlockRange, paths: readonly string[]): Promise<readonly string[]> {
    const name = this.nameOf(source, range);
    const folders = foldersIn(await this.#about(name), foldersKey);
    if (folders) return [name, ...folders.map((folder) => this.#pathIn(source, folder, range))];
    const ending = `/${windowName(range.from, range.to)}.parquet`;
    const begun = paths.filter(
      (path) => path.startsWith(`${sourceFolder(source)}/`) && path.endsWith(ending),
    );
    return [name, ...begun];
  }

  entryOf(source: string, range: BlockRange): Promise<LedgerEntry | undefined> {
    return readEntryOf(this.#files, this.nameOf(source, range), range);
  }

  async write(
    source: string,
    parts: readonly Rows[],
    entry: LedgerEntry,
    isAgain: boolean = false,
  ): Promise<void> {
    const rows = joinRows(parts, this.#all.length);
    // Rows that cannot be written are found before anything is.
    const partitions = splitRows(rows, this.#all, this.#named);
    const name = this.nameOf(source, entry);
    const earlier = isAgain ? await this.#earlierFolders(name) : [];
    const about: Readonly<Record<string, string>> = isAgain ? { [earlierKey]: JSON.stringify(earlier) } : {};
    await this.#files.write(name, windowPieces(storedColumns(this.#all), [rows], entry, about));
    const kept = new Set(partitions.map(({ folder }) => folder));
    const emptied = earlier
      .filter((folder) => !kept.has(folder))
      .map((folder) => ({ folder, rows: noRows(this.#all.length) }));
    const files = [...partitions, ...emptied];
    for (const { folder, rows: some } of files) {
      const path = this.#pathIn(source, folder, entry);
      // Read an object that may exist before replacing it: only a process that has read it may do so.
      if (isAgain) await this.#files.bytes(path, 1);
      await this.#files.write(path, rowPieces(this.#heldColumns, [this.#heldOf(some)], {}, this.#form));
    }
    await this.#finish(name, files, entry);
  }

  async writeStored(
    source: string,
    stored: StoredRows,
    entry: LedgerEntry,
    writeWith: WriteWith,
  ): Promise<void> {
    const partitions = await storedPartitions(stored, this.#partitioning);
    const name = this.nameOf(source, entry);
    const form = { format: "parquet", about: aboutEntry(entry) } as const;
    await writeWith(name, (draft) => stored.copyTo(draft, form));
    const names = this.#partitioning.map((column) => column.name);
    for (const { folder, values } of partitions)
      await writeWith(this.#pathIn(source, folder, entry), (draft) =>
        stored.copyTo(draft, { format: "parquet", about: {}, only: { names, values }, ...this.#form }),
      );
    await this.#finish(name, partitions, entry);
  }

  /** Writes the record of a window again, without its rows, since all of its files are there. */
  async #finish(
    name: string,
    partitions: readonly { readonly folder: string }[],
    entry: LedgerEntry,
  ): Promise<void> {
    const folders = JSON.stringify(partitions.map(({ folder }) => folder));
    const done = windowPieces(storedColumns(this.#all), [], entry, { [foldersKey]: folders });
    await this.#files.write(name, done);
  }

  async read(
    source: string,
    range: BlockRange,
    note: (sentence: string) => void,
    isLast: boolean,
  ): Promise<Rows> {
    const nothing = noRows(this.#all.length);
    const name = this.nameOf(source, range);
    const folders = foldersIn(await this.#about(name), foldersKey);
    if (!folders) {
      const rows = await readNoted(this.#files, name, storedColumns(this.#all), note);
      if (rows && !isLast) note(`${name} was not written to its end, so readers may see a part of its rows.`);
      return rows ?? nothing;
    }
    const parts: Rows[] = [];
    for (const folder of folders) {
      const values = partitionValues(this.#partitioning, folder);
      if (!values) {
        note(`${name} names a folder that it cannot have: ${visible(folder)}.`);
        continue;
      }
      const path = this.#pathIn(source, folder, range);
      const held = await readNoted(this.#files, path, this.#heldColumns, note);
      if (held) parts.push(this.#joined(held, values));
    }
    return joinRows(parts, this.#all.length);
  }

  async complete(source: string, range: BlockRange): Promise<boolean> {
    const name = this.nameOf(source, range);
    if (foldersIn(await this.#about(name), foldersKey)) return true;
    const bytes = await this.#files.bytes(name);
    const entry = bytes && entryIn(bytes);
    const rows = bytes && (await readWindow(bytes, storedColumns(this.#all)).catch(() => undefined));
    if (!entry || !rows || rows.count !== entry.rows) return false;
    await this.write(source, [rows], entry, true);
    return true;
  }

  /** The folders that may have files of a window before it is written again. */
  async #earlierFolders(name: string): Promise<readonly string[]> {
    const about = await this.#about(name);
    return foldersIn(about, foldersKey) ?? foldersIn(about, earlierKey) ?? [];
  }

  /** The metadata of a record; `undefined` if it is missing or damaged. */
  async #about(name: string): Promise<ReadonlyMap<string, string> | undefined> {
    const record = await this.#files.bytes(name, recordBytes);
    return record && aboutFile(record);
  }

  #pathIn(source: string, folder: string, { from, to }: BlockRange): string {
    return `${sourceFolder(source)}/${folder}/${windowName(from, to)}.parquet`;
  }

  get #partitioning(): readonly RowColumn[] {
    return this.#named.flatMap((index) => this.#all[index] ?? []);
  }

  get #heldColumns(): readonly Column[] {
    return storedColumns(this.#held.flatMap((index) => this.#all[index] ?? []));
  }

  #heldOf({ count, columns }: Rows): Rows {
    return { count, columns: this.#held.map((index) => columns[index] ?? []) };
  }

  /** Rows of a file with the values that the name of its folder stands for. */
  #joined({ count, columns }: Rows, values: readonly RowValue[]): Rows {
    const all = this.#all.map((_, index): readonly RowValue[] => {
      const held = this.#held.indexOf(index);
      if (held !== -1) return columns[held] ?? [];
      return Array.from({ length: count }, () => values[this.#named.indexOf(index)] ?? null);
    });
    return { count, columns: all };
  }
}

/** The folders that the metadata of a record names. */
function foldersIn(
  about: ReadonlyMap<string, string> | undefined,
  key: string,
): readonly string[] | undefined {
  const text = about?.get(key);
  const folders = text === undefined ? undefined : parseJson(text);
  return Array.isArray(folders) && folders.every((folder) => typeof folder === "string")
    ? folders
    : undefined;
}
