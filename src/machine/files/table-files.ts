import { open, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { lockFile } from "../../base/lock-file.js";
import { makeFolders } from "../../compiler/write/make-folders.js";
import type { TableFiles } from "../../datasets/sync/table-files.js";
import { hiddenDraft, missing, syncFolder, writeDurably, writeDurablyWith } from "./durable-files.js";

/** Hidden, because readers of the folder take every other file for a table. */
const lockName = ".graphloom.lock";
/** Length of the marker at each end of a Parquet file. */
const markBytes = 4;

/**
 * Table files in a local folder. A crash leaves only whole files, and hidden drafts that end in ".tmp".
 * @param root absolute
 */
export function openTableFiles(root: string): TableFiles {
  return {
    read: (path) => readFile(join(root, path), "utf8").catch(missing(undefined)),
    bytes: (path, last) =>
      (last === undefined ? readFile(join(root, path)) : readLast(join(root, path), last)).catch(
        missing(undefined),
      ),
    list: async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(
        missing([]),
      );
      return entries
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join("/"))
        .sort();
    },
    ends: (path) => readEnds(join(root, path)),
    write: (path, content, replaces = []) =>
      writeDurably(
        join(root, path),
        content,
        async () => {
          for (const old of replaces) await rm(join(root, old), { force: true });
          for (const old of replaces) await syncFolder(dirname(join(root, old)));
        },
        hiddenDraft(join(root, path)),
      ),
    writeWith: (path, fill) =>
      writeDurablyWith(join(root, path), fill, undefined, hiddenDraft(join(root, path))),
    remove: (path) => rm(join(root, path), { force: true }),
    lock: async () => {
      makeFolders(root);
      return lockFile(join(root, lockName));
    },
  };
}

async function readLast(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.min(size, most);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function readEnds(path: string): Promise<Awaited<ReturnType<TableFiles["ends"]>>> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const at = async (position: number): Promise<string> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(markBytes), 0, markBytes, position);
      return buffer.toString("latin1", 0, bytesRead);
    };
    return { size, first: await at(0), last: await at(Math.max(0, size - markBytes)) };
  } finally {
    await file.close();
  }
}
