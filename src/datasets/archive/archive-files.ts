/** The system's facts about a file, without reading it. */
export interface FileFacts {
  readonly bytes: number;
  /** When its content was last changed, in milliseconds since 1970. */
  readonly changed: number;
}

/** The folder of an archive. Paths are relative to it and use "/". Every method throws the system's errors. */
export interface ArchiveFiles {
  /** A file's content; `undefined` if the file does not exist. */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Writes a file whole or not at all, and returns when it is on the disk. A file of that name is replaced.
   * @throws an error with a reason
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Appends to a file, in one piece even if other processes append to it, and returns when it is on the disk. */
  append(path: string, text: string): Promise<void>;
  /** Names in a folder, sorted; empty if the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** A file's size and age; `undefined` if the file does not exist. */
  facts(path: string): Promise<FileFacts | undefined>;
  /** Removes a file, which may be missing. */
  remove(path: string): Promise<void>;
  /**
   * Renames a file, and replaces a file with the new name.
   * @returns whether the file existed
   */
  rename(path: string, to: string): Promise<boolean>;
}

/** The folder of an archive on this machine. */
export interface LocalArchiveFiles extends ArchiveFiles {
  /** The absolute path of a file. */
  locate(path: string): string;
}

/** Whether files are in a folder of this machine. */
export function isLocal(files: ArchiveFiles): files is LocalArchiveFiles {
  return "locate" in files;
}
