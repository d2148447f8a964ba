import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { visible } from "../../../base/visible.js";
import { DatabaseError } from "../database.js";

/** What a mode lets group and others do. */
export const othersBits = 0o077;

/**
 * Sees to it that nobody but their owner reads or writes what lies in a folder of a database, whatever modes were there.
 * Links are left alone: what they lead to is not the folder's.
 * @throws DatabaseError when a mode cannot be set, or is not kept
 */
export function makePrivate(folder: string): void {
  // There a folder is its user's by other means.
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
