/**
 * What the pipeline needs of the machine. Phases are pure; files come in through this interface.
 * `node/host.ts` is the real implementation, tests and other tools bring their own.
 */
export interface Host {
  /**
   * Reads a whole file.
   * @param path absolute, or relative to the host's working directory; `-` is standard input
   * @param limit size limit in bytes; a larger file is refused without being read
   */
  readFile(path: string, limit: number): Promise<FileRead>;
  /**
   * Lists the regular files in a folder and below it, for hints about a missing file; absent where folders
   * cannot be listed. Hidden folders, `node_modules` and symbolic links are left out, and beyond a limit some
   * files.
   * @param folder as `readFile` takes a path
   * @param depth levels of folders to look into; 1 is the folder alone
   * @returns sorted paths relative to the folder, with `/`; empty when the folder does not exist
   */
  readonly filesUnder?: (folder: string, depth: number) => Promise<readonly string[]>;
  /** Resolves `relative` against the folder of `file`. */
  resolveBeside(file: string, relative: string): string;
  /** The source texts of an installed npm package that the compiler links against, by path inside it. */
  packageSources(name: string): Promise<ReadonlyMap<string, string>>;
  /** The source text of a template shipped with graphloom, such as `mapping.hbs`. */
  readTemplate(name: string): Promise<string>;
}

/** The result of reading a file: its bytes, or why there are none. */
export type FileRead =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "missing" | "directory" | "device" | "endless-link" | "unreadable" }
  | { readonly kind: "too-large"; readonly size: number };
