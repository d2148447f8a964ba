import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ofFile } from "../../base/disk-trouble.js";
import { type LockResult, lockFile } from "../../base/lock-file.js";
import { makeFolders } from "../../compiler/write/make-folders.js";
import type { ArchiveFiles, LocalArchiveFiles } from "../../datasets/archive/archive-files.js";
import { tidyLock } from "../../datasets/archive/segments/remove-unlisted.js";
import { missing, syncFolder, writeDurably } from "./durable-files.js";

/** An archive's files, and the folder: for messages to the user who named it, and to no one else. */
export interface PlacedArchiveFiles extends ArchiveFiles {
  readonly place?: string;
}

/** The same for a local folder. */
interface PlacedLocalFiles extends LocalArchiveFiles, PlacedArchiveFiles {}

/**
 * Opens an archive's files in a local folder. A crash leaves each file in either its old or its new form, and may
 * leave files that end in ".tmp".
 * @param root absolute; or open files, which are returned unchanged
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
        // In one call, the system writes at the end even if other processes append to the file.
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
 * Takes the lock that removing an archive's files requires; see `lockFile`.
 * @param root absolute, an existing folder
 * @throws NoLocksError; errors of the system
 */
export function lockArchive(root: string): LockResult {
  return lockFile(join(root, tidyLock));
}
