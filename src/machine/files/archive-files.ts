import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ofFile } from "../../base/disk-trouble.js";
import { type LockResult, lockFile } from "../../base/lock-file.js";
import { makeFolders } from "../../compiler/write/make-folders.js";
import type { ArchiveFiles, LocalArchiveFiles } from "../../datasets/archive/archive-files.js";
import { tidyLock } from "../../datasets/archive/segments/remove-unlisted.js";
import { missing, syncFolder, writeDurably } from "./durable-files.js";

/** An archive's files, and the folder, for messages to the person who named it and to no one else. */
export interface PlacedArchiveFiles extends ArchiveFiles {
  readonly place?: string;
}

/** The same for a folder of this machine. */
interface PlacedLocalFiles extends LocalArchiveFiles, PlacedArchiveFiles {}

/**
 * An archive's files in a folder of this machine. A crash at any moment leaves each file either in its old or in its
 * new form, and perhaps files that end in ".tmp".
 * @param root absolute; or files that are already open, which are returned unchanged
 */
export function openArchiveFiles(root: string | PlacedArchiveFiles): PlacedArchiveFiles {
  if (typeof root !== "string") return root;
  const files: PlacedLocalFiles = {
    place: root,
    locate: (path) => join(root, path),
    read: (path) => readFile(join(root, path)).catch(missing(undefined)),
    write: (path, bytes) => writeDurably(join(root, path), bytes),
    append: async (path, text) => {
      const whole = join(root, path);
      makeFolders(dirname(whole));
      const file = await open(whole, "a");
      try {
        // A single call: the system writes at the end of the file even if other processes append to it.
        await file.write(text);
        await file.datasync();
      } catch (error) {
        ofFile(whole)(error);
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
    rename: async (path, to) => {
      makeFolders(dirname(join(root, to)));
      return rename(join(root, path), join(root, to)).then(() => true, missing(false));
    },
  };
  return files;
}

/**
 * Takes the lock for removing files of an archive; see `lockFile`.
 * @param root absolute, an existing folder
 * @throws NoLocksError; errors of the system
 */
export function lockArchive(root: string): LockResult {
  return lockFile(join(root, tidyLock));
}
