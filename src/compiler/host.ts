/**
 * The world as the pipeline sees it. Phases are pure; whatever they need of files comes in through this.
 * `node-host.ts` is the real one, tests and other tools bring their own.
 */
export interface Host {
  /**
   * Reads a whole file.
   * @param path absolute, or relative to the host's working directory; `-` is standard input
   * @param limit most bytes to read; a larger file is refused without being read
   */
  readFile(path: string, limit: number): Promise<FileRead>;
  /**
   * The ordinary files in a folder and in those below it, for hints about a file that is not there; absent where nobody
   * can look around. Hidden folders, `node_modules` and links are left out, and of very many files some.
   * @param folder as `readFile` takes a path
   * @param depth of the folders that are looked into, the first being 1
   * @returns paths as seen from the folder, with `/`, in order; none where there is no such folder
   */
  readonly filesUnder?: (folder: string, depth: number) => Promise<readonly string[]>;
  /** The path of `relative` as seen from the folder of `file`. */
  resolveBeside(file: string, relative: string): string;
  /** The text of every source file of an installed npm package that the compiler links against, by path inside it. */
  packageSources(name: string): Promise<ReadonlyMap<string, string>>;
  /** The text of a template shipped with graphloom, such as `mapping.hbs`. */
  readTemplate(name: string): Promise<string>;
}

/** What reading a file gave: its bytes, or why there are none. */
export type FileRead =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "missing" | "directory" | "device" | "endless-link" | "unreadable" }
  | { readonly kind: "too-large"; readonly size: number };
