import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

const mark = "PAR1";

/** Whether bytes begin like a Parquet file. */
export function isParquet(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, mark.length)).toString("latin1") === mark;
}

/**
 * Whether a file begins like a Parquet file. The rest is not read.
 * @param path absolute
 * @returns `false` also if it is not a regular file or cannot be read
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
