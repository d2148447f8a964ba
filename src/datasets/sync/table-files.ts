import type { LockResult } from "../../base/lock-file.js";

/** A folder of table files. Paths are relative to it and use "/". Every method throws the system's errors. */
export interface TableFiles {
  /** A text file's content; `undefined` if the file does not exist. */
  read(path: string): Promise<string | undefined>;
  /** A file's bytes, or only its last ones; `undefined` if the file does not exist. */
  bytes(path: string, last?: number): Promise<Uint8Array | undefined>;
  /** Paths of all files below a folder, sorted; empty if the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** The first and the last bytes of a file. */
  ends(path: string): Promise<{ readonly size: number; readonly first: string; readonly last: string }>;
  /**
   * Writes a file whole or not at all, and returns when it is on the disk. The files that it replaces are removed
   * after its content is on the disk and before it gets its name, so no row is ever in two files.
   * @param content the content or its pieces, each of which is requested when the previous one is written; their
   * errors are thrown
   */
  write(
    path: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    replaces?: readonly string[],
  ): Promise<void>;
  /**
   * As `write`, for content that another component writes. Left out where files are not on this machine.
   * @param fill creates the file at an absolute path of this machine, where it waits for its name
   */
  writeWith?(path: string, fill: (draft: string) => Promise<void>): Promise<void>;
  /** Removes a file, which may be missing. */
  remove(path: string): Promise<void>;
  /**
   * Takes the lock of the folder, which only one process holds at a time, and which ends with the process. The folder is
   * made if it is not there.
   * @throws NoLocksError where files cannot be locked
   */
  lock(): Promise<LockResult>;
}
