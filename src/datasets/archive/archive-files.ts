/** The system's facts about a file, without reading it. */
export interface FileFacts {
  readonly bytes: number;
  /** Time of the last change to its content, in milliseconds since 1970. */
  readonly changed: number;
}

/** The folder of an archive. Paths are relative to it and use "/". Every method throws the system's errors. */
export interface ArchiveFiles {
  /** A file's content; `undefined` if it does not exist. */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Writes a file completely or not at all, and returns once it is on disk. Replaces an existing file.
   * @throws an error with a reason
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Appends to a file in one piece, even if other processes append too, and returns once the text is on disk. */
  append(path: string, text: string): Promise<void>;
  /** Names in a folder, sorted; empty if the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** A file's size and age; `undefined` if it does not exist. */
  facts(path: string): Promise<FileFacts | undefined>;
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>;
  /**
   * Renames a file, replacing any file with the new name.
   * @returns whether the file existed
   */
  rename(path: string, to: string): Promise<boolean>;
}

/** The folder of an archive on the local disk. */
export interface LocalArchiveFiles extends ArchiveFiles {
  /** The absolute path of a file. */
  locate(path: string): string;
}

/** Whether files are in a local folder. */
export function isLocal(files: ArchiveFiles): files is LocalArchiveFiles {
  return "locate" in files;
}
