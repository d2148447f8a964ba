import type { LedgerEntry } from "../../changes/ledger.js";
import type { Rows } from "../../changes/rows.js";
import type { StoredRows } from "../../changes/stored-rows.js";
import type { BlockRange } from "../audit.js";
import type { WindowFiles } from "./window-files.js";
import type { WindowFile } from "./window-names.js";

/** How the windows of sources are kept in files. */
export interface WindowLayout {
  /** What the names of files say about the windows of a source, in order. */
  windowsOf(source: string, paths: readonly string[]): readonly WindowFile[];
  /** The path of the file by whose name a window is known. */
  nameOf(source: string, range: BlockRange): string;
  /** The paths of all files of an existing window. @param paths of all files */
  pathsOf(source: string, range: BlockRange, paths: readonly string[]): Promise<readonly string[]>;
  /** What a window says that it has; `undefined` if it says nothing, or is about another one. */
  entryOf(source: string, range: BlockRange): Promise<LedgerEntry | undefined>;
  /**
   * Writes a window.
   * @param isAgain whether some of its files may be there already
   * @throws SinkError for rows that cannot be written
   */
  write(source: string, parts: readonly Rows[], entry: LedgerEntry, isAgain?: boolean): Promise<void>;
  /**
   * Writes a window whose rows the SQL engine holds.
   * @param writeWith writes its files
   * @throws SinkError for rows that cannot be written
   */
  writeStored(source: string, stored: StoredRows, entry: LedgerEntry, writeWith: WriteWith): Promise<void>;
  /**
   * The rows of an existing window.
   * @param note gets a sentence about anything missing or unreadable
   * @param isLast whether no window comes after it, so that it may be about to be written
   */
  read(source: string, range: BlockRange, note: (sentence: string) => void, isLast: boolean): Promise<Rows>;
  /**
   * Completes an existing window if its writer was interrupted.
   * @returns whether it is complete now; it cannot be if the file by whose name it is known is damaged
   */
  complete(source: string, range: BlockRange): Promise<boolean>;
}

/** Writes files that another component fills. */
export type WriteWith = NonNullable<WindowFiles["writeWith"]>;
