import type { Column } from "../../../datasets/parquet/column.js";
import type { ParquetForm } from "../../../datasets/parquet/write-parquet.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import { noRows, type Rows } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type { StoredRows } from "../../changes/stored-rows.js";
import type { BlockRange } from "../audit.js";
import { aboutEntry, readEntryOf, readNoted, storedColumns, windowPieces } from "./window-file.js";
import type { AuditedFiles } from "./window-files.js";
import type { WindowLayout, WriteWith } from "./window-layout.js";
import { sourceFolder, type WindowFile, windowName, windowsIn } from "./window-names.js";

/** The file of a window: `transfers/000000000000-000000009999.parquet`. */
function windowPath(source: string, { from, to }: BlockRange): string {
  return `${sourceFolder(source)}/${windowName(from, to)}.parquet`;
}

/** Windows with one file each, which appears whole. */
export class PlainWindows implements WindowLayout {
  readonly #files: AuditedFiles;
  readonly #columns: readonly Column[];
  readonly #form: ParquetForm;

  constructor(files: AuditedFiles, columns: readonly RowColumn[], form: ParquetForm = {}) {
    this.#form = form;
    this.#files = files;
    this.#columns = storedColumns(columns);
  }

  windowsOf(source: string, paths: readonly string[]): readonly WindowFile[] {
    return windowsIn(sourceFolder(source), ".parquet", paths);
  }

  nameOf(source: string, range: BlockRange): string {
    return windowPath(source, range);
  }

  async pathsOf(source: string, range: BlockRange): Promise<readonly string[]> {
    return [windowPath(source, range)];
  }

  entryOf(source: string, range: BlockRange): Promise<LedgerEntry | undefined> {
    return readEntryOf(this.#files, windowPath(source, range), range);
  }

  async write(source: string, parts: readonly Rows[], entry: LedgerEntry): Promise<void> {
    await this.#files.write(
      windowPath(source, entry),
      windowPieces(this.#columns, parts, entry, {}, this.#form),
    );
  }

  async writeStored(
    source: string,
    stored: StoredRows,
    entry: LedgerEntry,
    writeWith: WriteWith,
  ): Promise<void> {
    const form = { format: "parquet", about: aboutEntry(entry), ...this.#form } as const;
    await writeWith(windowPath(source, entry), (draft) => stored.copyTo(draft, form));
  }

  async read(source: string, range: BlockRange, note: (sentence: string) => void): Promise<Rows> {
    const path = windowPath(source, range);
    return (await readNoted(this.#files, path, this.#columns, note)) ?? noRows(this.#columns.length);
  }

  /** A file appears whole. */
  async complete(): Promise<true> {
    return true;
  }
}
