import { invariant } from "../../../base/invariant.js";
import { NoLocksError } from "../../../base/lock-file.js";
import { joined } from "../../changes/kept-ledger.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { Rows, RowValue } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import { holderPart } from "../../state/other-run.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { Sink, StoredBatch, StoredWriting } from "../sink.js";
import { type FileFolder, type FolderOwner, openFileFolder } from "./file-folder.js";
import { windowLayout } from "./open-layout.js";
import type { AuditedFiles } from "./window-files.js";
import type { WindowLayout, WriteWith } from "./window-layout.js";

/** What a folder holds, and how. */
export interface FileSinkOptions {
  readonly files: AuditedFiles;
  /** What messages call the place, and the setting that chooses it. */
  readonly place: FolderOwner["place"];
  readonly flow: string;
  readonly sink: string;
  /** The names of the sources that lead to the sink. */
  readonly sources: readonly string[];
  readonly columns: readonly RowColumn[];
  readonly partitions?: FolderOwner["partitions"];
  readonly form?: FolderOwner["form"];
  readonly lineage?: FolderOwner["lineage"];
  readonly began?: FolderOwner["began"];
  /** Blocks of a source that a file covers at most. */
  readonly blocksPerFile: number;
  /** Rows of a file at most, unless it covers one batch. */
  readonly rowsPerFile?: number | undefined;
  /** Bytes of a file's values at most, likewise. */
  readonly bytesPerFile?: number | undefined;
}

/** Rows of a file at most, if neither rows nor bytes are limited. */
const usualRows = 500_000;
/** Bytes of values at most if a file may have more rows than that: they are in memory until it is written. */
const usualBytes = 512 * 1024 * 1024;
/** About how many bytes a value has. */
const valueBytes = 32;

/** Rows of a batch that the SQL engine holds. They become one file, and all of them are in memory until then. */
const mostStored = 250_000;

/** Rows of a source that wait for their file. */
interface Pending {
  readonly parts: readonly Rows[];
  readonly entry: LedgerEntry;
  /** Of its values, if they are limited. */
  readonly bytes: number;
}

/**
 * Opens a folder as a sink of final rows. A file holds the rows of a window of blocks, its name says which, and a window
 * without rows has a file as well. Files appear whole, so their names are the position.
 * @throws SinkError for a folder that holds something else
 */
export async function openFileSink(options: FileSinkOptions): Promise<Sink> {
  const release = await lockFolder(options);
  try {
    const layout = windowLayout(options);
    return new FileSink(options, await openFileFolder(options, layout), layout, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Takes the lock of the folder; what it returns gives it back. @throws SinkError */
export async function lockFolder({
  files,
  sink,
}: Pick<FileSinkOptions, "files" | "sink">): Promise<() => void> {
  try {
    const lock = await files.lock();
    if (lock.kind === "ours") return lock.release;
    throw new SinkError(
      `Another run writes the folder of sink ${sink}${holderPart(lock.holder)}. Stop one of them, or choose another path.`,
      false,
    );
  } catch (error) {
    if (error instanceof NoLocksError) throw new SinkError(error.message, false, { cause: error });
    throw error;
  }
}

/** About how many rows batches should have for files of some rows: enough to be quick, and few enough to fill files. */
function batchRows(perFile: number): number {
  return Math.ceil(Math.max(perFile / 10, Math.min(perFile, 1_000)));
}

/** Bytes of all values as a file has them before compression. */
function bytesOf({ columns }: Rows): number {
  let bytes = 0;
  for (const values of columns) for (const value of values) bytes += bytesOfValue(value);
  return bytes;
}

function bytesOfValue(value: RowValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + Buffer.byteLength(item), 0);
  return value === null || typeof value === "boolean" ? 1 : 8;
}

class FileSink implements Sink {
  readonly positions: Positions;
  readonly mostBlocks: number;
  readonly mostRows: number | undefined;
  readonly storedWriting: StoredWriting | undefined;
  readonly #folder: FileFolder;
  readonly #release: () => void;
  readonly #layout: WindowLayout;
  readonly #pending = new Map<string, Pending>();
  /** What a file has at most. */
  readonly #most: { readonly blocks: number; readonly rows: number; readonly bytes: number };

  constructor(options: FileSinkOptions, folder: FileFolder, layout: WindowLayout, release: () => void) {
    this.#release = release;
    this.#folder = folder;
    this.#layout = layout;
    this.positions = folder.positions;
    const { blocksPerFile, rowsPerFile, bytesPerFile, columns } = options;
    const rows = rowsPerFile ?? (bytesPerFile === undefined ? usualRows : Number.POSITIVE_INFINITY);
    const bytes = bytesPerFile ?? (rows > usualRows ? usualBytes : Number.POSITIVE_INFINITY);
    this.#most = { blocks: blocksPerFile, rows, bytes };
    this.mostBlocks = blocksPerFile;
    if (rowsPerFile !== undefined || bytesPerFile !== undefined)
      this.mostRows = batchRows(Math.min(rows, bytes / (columns.length * valueBytes)));
    const { writeWith } = options.files;
    // How many bytes stored rows have is not known.
    if (writeWith && bytesPerFile === undefined)
      this.storedWriting = {
        limits: { rows: Math.min(mostStored, rows), blocks: blocksPerFile },
        mostRows: rows,
        write: (batch) => this.#writeStored(batch, writeWith),
      };
  }

  async write({ source, from, to, changes, ledger }: SinkBatch): Promise<void> {
    invariant(ledger, "final rows are not undone");
    await this.#folder.begin(source, from);
    const most = this.#most;
    const bytes = most.bytes === Number.POSITIVE_INFINITY ? 0 : bytesOf(changes.rows);
    const waits = this.#pending.get(source);
    const isMore =
      waits &&
      (to + 1 - waits.entry.from > most.blocks ||
        waits.entry.rows + ledger.rows > most.rows ||
        waits.bytes + bytes > most.bytes);
    if (isMore) await this.#finish(source, from - 1);
    const before = this.#pending.get(source);
    const entry = before ? joined(before.entry, ledger) : ledger;
    const pending = {
      parts: [...(before?.parts ?? []), changes.rows],
      entry,
      bytes: (before?.bytes ?? 0) + bytes,
    };
    this.#pending.set(source, pending);
    const isFull =
      to + 1 - entry.from >= most.blocks || entry.rows >= most.rows || pending.bytes >= most.bytes;
    if (isFull) await this.#finish(source, to);
  }

  /** Writes what waits: a source that has ended has no further rows for it. */
  async end(source: string, next: number): Promise<void> {
    await this.#finish(source, next - 1);
  }

  async close(): Promise<void> {
    this.#release();
  }

  /** Stored rows become a file of their own. What waits gets one before it. */
  async #writeStored({ source, from, to, stored, ledger }: StoredBatch, writeWith: WriteWith): Promise<true> {
    await this.#folder.begin(source, from);
    await this.#finish(source, from - 1);
    await this.#folder.claim(source, { from, to });
    await this.#layout.writeStored(source, stored, ledger, writeWith);
    await this.#folder.reach(source, to + 1);
    return true;
  }

  async #finish(source: string, to: number): Promise<void> {
    const pending = this.#pending.get(source);
    if (!pending) return;
    const { parts, entry } = pending;
    await this.#folder.claim(source, { from: entry.from, to });
    await this.#layout.write(source, parts, { ...entry, to });
    this.#pending.delete(source);
    await this.#folder.reach(source, to + 1);
  }
}
