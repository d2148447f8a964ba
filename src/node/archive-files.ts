import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArchiveFiles } from "../datasets/archive/archive-files.js";

/**
 * An archive's files in a folder of this machine. A crash at any moment leaves a file as it was or as it was to become;
 * what else it leaves are files that end in ".tmp".
 * @param root absolute
 */
export function openArchiveFiles(root: string): ArchiveFiles {
  return {
    read: (path) => readFile(join(root, path)).catch(missing(undefined)),
    write: async (path, bytes) => {
      const whole = join(root, path);
      const draft = `${whole}.${randomBytes(6).toString("hex")}.tmp`;
      await mkdir(dirname(whole), { recursive: true });
      try {
        await fill(draft, bytes);
        await rename(draft, whole);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(dirname(whole));
    },
    append: async (path, text) => {
      const whole = join(root, path);
      await mkdir(dirname(whole), { recursive: true });
      const file = await open(whole, "a");
      try {
        // One call, which the system carries out at the end of the file even if other processes append to it.
        await file.write(text);
        await file.datasync();
      } finally {
        await file.close();
      }
      await syncFolder(dirname(whole));
    },
    list: async (path) => (await readdir(join(root, path)).catch(missing<string[]>([]))).sort(),
    facts: (path) =>
      stat(join(root, path)).then(
        ({ size, mtimeMs }) => ({ bytes: size, changed: mtimeMs }),
        missing(undefined),
      ),
    remove: (path) => rm(join(root, path), { force: true }),
  };
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
