import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ofFile } from "../../base/disk-trouble.js";
import { makeFolders } from "../../compiler/write/make-folders.js";

/**
 * Writes a file completely or not at all, and returns once it is on disk. A crash leaves at most a draft that ends in
 * ".tmp".
 * @param path absolute; its folder is created
 * @param content the content or its pieces; errors while reading them are thrown
 * @param beforeRename runs once the content is on disk, before the file gets its name
 * @param draft absolute path of the draft, beside the file
 * @throws errors of the system
 */
export async function writeDurably(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  beforeRename: () => Promise<void> = async () => undefined,
  draft?: string,
): Promise<void> {
  return writeDurablyWith(path, (place) => fill(place, content), beforeRename, draft);
}

/**
 * As `writeDurably`, for content that another component writes.
 * @param fill creates the file at an absolute path
 */
export async function writeDurablyWith(
  path: string,
  fill: (draft: string) => Promise<void>,
  beforeRename: () => Promise<void> = async () => undefined,
  draft: string = `${path}.${randomBytes(6).toString("hex")}.tmp`,
): Promise<void> {
  const folder = dirname(path);
  const made = makeFolders(folder);
  try {
    await fill(draft);
    await syncFile(draft);
    await beforeRename();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    ofFile(path)(error);
  }
  await syncFolder(folder);
  // A new folder is safe once its parent is on disk.
  if (made !== undefined)
    for (let inner = folder; inner.length >= made.length; inner = dirname(inner))
      await syncFolder(dirname(inner));
}

/** The path for a draft that readers of a folder skip: `.rows.parquet.0123456789ab.tmp`. */
export function hiddenDraft(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
}

/** Waits until the content of a file is on disk. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function fill(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx");
  try {
    const pieces = content instanceof Uint8Array ? [content] : content;
    // Each write continues where the previous one ended.
    for await (const piece of pieces) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

/** Waits until the names in a folder are on disk: only then is a file's name safe. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Handles errors of files that may be missing: returns a value instead, and rethrows all other errors. */
export function missing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}
