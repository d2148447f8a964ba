import type { RandomFile } from "../datasets/parquet/parquet-rows.js";
import type { TableFiles } from "../datasets/sync/table-files.js";

/** The folder of a dump. Paths are relative to it and use "/". Every method throws the system's errors. */
export interface DumpFiles extends Pick<TableFiles, "list" | "write" | "remove" | "lock"> {
  /**
   * A file's content; `undefined` if it does not exist.
   * @param most in bytes
   * @throws Error for a larger file
   */
  small(path: string, most: number): Promise<string | undefined>;
  /** Opens a file for reading; `undefined` if it does not exist. */
  open(path: string): Promise<RandomFile | undefined>;
  makeFolder(path: string): Promise<void>;
}
