import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { visible } from "../../../base/text/visible.js";
import { DatabaseError } from "../database.js";

/** The permission bits of group and others. */
export const othersBits = 0o077;

/**
 * Makes the files in a database folder readable and writable only by their owner, whatever their modes were. Leaves
 * links alone, because they may lead out of the folder.
 * @throws DatabaseError when a mode cannot be set, or is not kept
 */
export function makePrivate(folder: string): void {
  // Windows protects a user's folder by other means.
  if (platform === "win32") return;
  keepToOwner(folder, folder);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    keepToOwner(join(folder, name), folder);
  }
}

function keepToOwner(path: string, folder: string): void {
  if (!isOpen(path)) return;
  try {
    chmodSync(path, lstatSync(path).mode & 0o777 & ~othersBits);
  } catch (cause) {
    throw notPrivate(folder, path, cause);
  }
  if (isOpen(path)) throw notPrivate(folder, path);
}

function isOpen(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink() && (found.mode & othersBits) !== 0;
}

function notPrivate(folder: string, path: string, cause?: unknown): DatabaseError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new DatabaseError(
    `other users of this machine can read the database in ${visible(folder)}, and the mode of ${visible(path)} cannot be changed${why}`,
    { hint: "Choose a folder that you own, on a file system that supports file modes.", cause },
  );
}
