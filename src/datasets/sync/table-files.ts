import type { LockResult } from "../../base/lock-file.js";

/** A folder of table files. Paths are relative to it and use "/". Every method throws the system's errors. */
export interface TableFiles {
  /** A text file's content; `undefined` if it does not exist. */
  read(path: string): Promise<string | undefined>;
  /** A file's bytes, or only its last ones; `undefined` if it does not exist. */
  bytes(path: string, last?: number): Promise<Uint8Array | undefined>;
  /** Paths of all files below a folder, sorted; empty if the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** The first and the last bytes of a file. */
  ends(path: string): Promise<{ readonly size: number; readonly first: string; readonly last: string }>;
  /**
   * Writes a file completely or not at all, and returns once it is on disk. Replaced files are removed once the
   * content is on disk and before the file gets its name, so no row is ever in two files.
   * @param content the content or its pieces, each requested once the previous one is written; errors while reading
   *   them are thrown
   */
  write(
    path: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    replaces?: readonly string[],
  ): Promise<void>;
  /**
   * As `write`, for content that another component writes. Absent if files are not local.
   * @param fill creates the draft at an absolute local path
   */
  writeWith?(path: string, fill: (draft: string) => Promise<void>): Promise<void>;
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>;
  /**
   * Takes the folder's lock, which only one process can hold, and which ends with the process. Creates the folder if
   * missing.
   * @throws NoLocksError if files cannot be locked
   */
  lock(): Promise<LockResult>;
}
