import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

const mark = "PAR1";

/** Whether bytes begin as every Parquet file does. */
export function isParquet(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, mark.length)).toString("latin1") === mark;
}

/**
 * Whether a file begins as every Parquet file does. Nothing else of it is read.
 * @param path absolute
 * @returns `false` also for what is not a regular file, and for what cannot be read
 */
export async function isParquetFile(path: string): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false;
    // Non-blocking, in case the file became a pipe since `stat`.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
      return isParquet(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
