import { invariant } from "../../../base/invariant.js";
import { NoLocksError } from "../../../base/lock-file.js";
import { joined } from "../../changes/kept-ledger.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { Rows } from "../../changes/rows.js";
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
  readonly lineage?: FolderOwner["lineage"];
  readonly began?: FolderOwner["began"];
  /** Blocks of a source that a file covers at most. */
  readonly blocksPerFile: number;
}

/** Rows of a file at most; a file with fewer blocks is written when it has them. */
const mostRows = 500_000;

/** Rows of a batch that the SQL engine holds. They become one file, and all of them are in memory until then. */
const mostStored = 250_000;

/** Rows of a source that wait for their file. */
interface Pending {
  readonly parts: readonly Rows[];
  readonly entry: LedgerEntry;
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

class FileSink implements Sink {
  readonly positions: Positions;
  readonly mostBlocks: number;
  readonly storedWriting: StoredWriting | undefined;
  readonly #options: FileSinkOptions;
  readonly #folder: FileFolder;
  readonly #release: () => void;
  readonly #layout: WindowLayout;
  readonly #pending = new Map<string, Pending>();

  constructor(options: FileSinkOptions, folder: FileFolder, layout: WindowLayout, release: () => void) {
    this.#options = options;
    this.#release = release;
    this.#folder = folder;
    this.#layout = layout;
    this.positions = folder.positions;
    this.mostBlocks = options.blocksPerFile;
    const { writeWith } = options.files;
    if (writeWith)
      this.storedWriting = {
        limits: { rows: mostStored, blocks: options.blocksPerFile },
        write: (batch) => this.#writeStored(batch, writeWith),
      };
  }

  async write({ source, from, to, changes, ledger }: SinkBatch): Promise<void> {
    invariant(ledger, "final rows are not undone");
    await this.#folder.begin(source, from);
    const { blocksPerFile } = this.#options;
    const waits = this.#pending.get(source);
    if (waits && to + 1 - waits.entry.from > blocksPerFile) await this.#finish(source, from - 1);
    const before = this.#pending.get(source);
    const entry = before ? joined(before.entry, ledger) : ledger;
    this.#pending.set(source, { parts: [...(before?.parts ?? []), changes.rows], entry });
    const isFull = to + 1 - entry.from >= blocksPerFile || entry.rows >= mostRows;
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
