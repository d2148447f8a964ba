import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { TableFiles } from "../datasets/sync/table-files.js";

/** Bytes of the mark at each end of a Parquet file. */
const markBytes = 4;

/**
 * Table files in a folder of this machine. A crash at any moment leaves whole files, and drafts that end in ".tmp".
 * @param root absolute
 */
export function openTableFiles(root: string): TableFiles {
  return {
    read: (path) => readFile(join(root, path), "utf8").catch(missing(undefined)),
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
    write: async (path, bytes, replaces = []) => {
      const whole = join(root, path);
      const draft = `${whole}.${randomBytes(6).toString("hex")}.tmp`;
      await mkdir(dirname(whole), { recursive: true });
      try {
        await fill(draft, bytes);
        for (const old of replaces) await rm(join(root, old), { force: true });
        for (const old of replaces) await syncFolder(dirname(join(root, old)));
        await rename(draft, whole);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(dirname(whole));
    },
    remove: (path) => rm(join(root, path), { force: true }),
  };
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

async function fill(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** A name is on the disk once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function missing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}
