import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolders } from "../../compiler/write/make-folders.js";
import type { RandomFile } from "../../datasets/parquet/parquet-rows.js";
import type { TableFiles } from "../../datasets/sync/table-files.js";
import { missing } from "./durable-files.js";
import { openTableFiles } from "./table-files.js";

/** What a dump needs beside the files of tables. */
interface LargeFiles extends TableFiles {
  small(path: string, most: number): Promise<string | undefined>;
  open(path: string): Promise<RandomFile | undefined>;
  makeFolder(path: string): Promise<void>;
}

/**
 * The folder of a dump, whose files may be larger than memory.
 * @param root absolute
 */
export function openDumpFiles(root: string): LargeFiles {
  return {
    ...openTableFiles(root),
    small: async (path, most) => {
      const found = await stat(join(root, path)).catch(missing(undefined));
      if (!found) return undefined;
      if (found.size > most) throw new Error(`${path} has ${found.size} bytes, and at most ${most} are read`);
      return readFile(join(root, path), "utf8");
    },
    open: async (path) => {
      const file = await open(join(root, path), "r").catch(missing(undefined));
      return file && randomFile(file);
    },
    makeFolder: async (path) => {
      makeFolders(join(root, path));
    },
  };
}

async function randomFile(file: FileHandle): Promise<RandomFile> {
  const { size } = await file.stat();
  return {
    size,
    read: async (position, length) => {
      const bytes = Buffer.allocUnsafeSlow(length);
      for (let at = 0; at < length; ) {
        const { bytesRead } = await file.read(bytes, at, length - at, position + at);
        if (bytesRead === 0) throw new Error("it ends early");
        at += bytesRead;
      }
      return bytes;
    },
    close: () => file.close(),
  };
}
