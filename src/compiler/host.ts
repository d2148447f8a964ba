/**
 * The pipeline's access to the machine. Phases are pure; files come in through this interface. `machine/files/host.ts`
 * is the real implementation; tests and other tools supply their own.
 */
export interface Host {
  /**
   * Reads a whole file.
   * @param path absolute, or relative to the host's working directory; `-` is standard input
   * @param limit size limit in bytes; larger files are refused without being read
   */
  readFile(path: string, limit: number): Promise<FileRead>;
  /**
   * Lists the regular files in and below a folder, for hints about a missing file; absent if folders cannot
   * be listed. Leaves out hidden folders, `node_modules`, symbolic links and, beyond a limit, some files.
   * @param folder path as for `readFile`
   * @param depth levels of folders to search; 1 is the folder alone
   * @returns sorted paths relative to the folder, with `/`; empty if the folder does not exist
   */
  readonly filesUnder?: (folder: string, depth: number) => Promise<readonly string[]>;
  /** Resolves `relative` against the folder of `file`. */
  resolveBeside(file: string, relative: string): string;
  /**
   * Returns the sources of an installed npm package that the compiler links against, by path inside the
   * package.
   */
  packageSources(name: string): Promise<ReadonlyMap<string, string>>;
  /** Returns the text of a template that ships with graphloom, such as `mapping.hbs`. */
  readTemplate(name: string): Promise<string>;
}

/** The result of reading a file: its bytes, or why it has none. */
export type FileRead =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "missing" | "directory" | "device" | "endless-link" | "unreadable" }
  /** The host may only read files of one folder, and this one is not in it. */
  | { readonly kind: "outside" }
  | { readonly kind: "too-large"; readonly size: number };
