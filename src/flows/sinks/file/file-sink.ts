import { holderText, NoLocksError } from "../../../base/lock-file.js";
import type { Column, ColumnValue, ColumnValues } from "../../../datasets/parquet/column.js";
import { ParquetPieces } from "../../../datasets/parquet/write-parquet.js";
import { joinRows, type Rows } from "../../changes/rows.js";
import type { FlowColumn, FlowType } from "../../changes/schema.js";
import { type Positions, type Sink, type SinkBatch, SinkError } from "../sink.js";
import { type FileFolder, type FolderOwner, openFileFolder, windowPath } from "./file-folder.js";
import type { WindowFiles } from "./window-files.js";

/** What a folder holds, and how. */
export interface FileSinkOptions {
  readonly files: WindowFiles;
  /** What messages call the place, and the setting that chooses it. */
  readonly place: FolderOwner["place"];
  readonly flow: string;
  readonly sink: string;
  /** The names of the sources that lead to the sink. */
  readonly sources: readonly string[];
  readonly columns: readonly FlowColumn[];
  /** Blocks of a source that a file covers at most. */
  readonly blocksPerFile: number;
}

/** Rows of a file at most; a file with fewer blocks is written when it has them. */
const mostRows = 500_000;

/** Rows of a source that wait for their file. */
interface Pending {
  readonly from: number;
  readonly parts: readonly Rows[];
  readonly count: number;
}

/**
 * Opens a folder as a sink of final rows. A file holds the rows of a window of blocks, its name says which, and a window
 * without rows has a file as well. Files appear whole, so their names are the position.
 * @throws SinkError for a folder that holds something else
 */
export async function openFileSink(options: FileSinkOptions): Promise<Sink> {
  const release = await lockFolder(options);
  try {
    return new FileSink(options, await openFileFolder(options), release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Takes the lock of the folder; what it returns gives it back. */
async function lockFolder({ files }: FileSinkOptions): Promise<() => void> {
  try {
    const lock = await files.lock();
    if (lock.kind === "ours") return lock.release;
    throw new SinkError(
      `The folder is being written by ${holderText(lock.holder)}. Wait until that process has ended, or choose another path.`,
      false,
    );
  } catch (error) {
    if (error instanceof NoLocksError) throw new SinkError(error.message, false, { cause: error });
    throw error;
  }
}

class FileSink implements Sink {
  readonly positions: Positions;
  readonly #options: FileSinkOptions;
  readonly #folder: FileFolder;
  readonly #release: () => void;
  readonly #columns: readonly Column[];
  readonly #pending = new Map<string, Pending>();

  constructor(options: FileSinkOptions, folder: FileFolder, release: () => void) {
    this.#options = options;
    this.#release = release;
    this.#folder = folder;
    this.#columns = options.columns.map(({ name, type, nullable }) => ({
      name,
      type: stored[type],
      nullable,
    }));
    this.positions = folder.positions;
  }

  async write({ source, from, to, changes }: SinkBatch): Promise<void> {
    await this.#folder.begin(source, from);
    const { parts, count, from: first } = this.#pending.get(source) ?? { parts: [], count: 0, from };
    const pending = { from: first, parts: [...parts, changes.rows], count: count + changes.rows.count };
    this.#pending.set(source, pending);
    const isFull = to + 1 - first >= this.#options.blocksPerFile || pending.count >= mostRows;
    if (isFull) await this.#finish(source, to);
  }

  /** Writes what waits: a source that has ended has no further rows for it. */
  async end(source: string, next: number): Promise<void> {
    if (this.#pending.has(source)) await this.#finish(source, next - 1);
  }

  async close(): Promise<void> {
    this.#release();
  }

  async #finish(source: string, to: number): Promise<void> {
    const { from = to, parts = [] } = this.#pending.get(source) ?? {};
    await this.#options.files.write(windowPath(source, from, to), piecesOf(this.#columns, parts));
    this.#pending.delete(source);
  }
}

async function* piecesOf(columns: readonly Column[], parts: readonly Rows[]): AsyncGenerator<Uint8Array> {
  const file = new ParquetPieces(columns);
  const rows = joinRows(parts, columns.length);
  if (rows.count > 0) yield file.add(valuesOf(columns, rows));
  yield file.finish();
}

function valuesOf(columns: readonly Column[], rows: Rows): ColumnValues {
  return Object.fromEntries(
    columns.map(({ name }, index) => [name, (rows.columns[index] ?? []) as readonly ColumnValue[]]),
  );
}

/** Integers of 256 bits are text, since readers round wide decimals. */
const stored: Readonly<Record<FlowType, Column["type"]>> = {
  STRING: "string",
  JSON: "string",
  LONG: "long",
  DOUBLE: "double",
  DECIMAL: "string",
  NUMERIC: "string",
  BOOLEAN: "boolean",
  TIMESTAMP: "timestamp",
  "ARRAY<STRING>": "strings",
};
