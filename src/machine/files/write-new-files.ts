import { randomBytes } from "node:crypto";
import { constants, copyFile, link, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeReasons } from "../../base/file-reasons.js";
import { makeFolders } from "../../compiler/write/make-folders.js";
import { replaceFile } from "./replace-file.js";

export interface NewFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** Whether to replace an existing file; otherwise an existing file stays, and nothing is written. */
  readonly replaces: boolean;
}

/** The outcome; unless it is `written`, no file is new or changed. */
export type NewFilesOutcome =
  | { readonly kind: "written" }
  | { readonly kind: "exists"; readonly path: string }
  | { readonly kind: "failed"; readonly path: string; readonly reason: string };

/**
 * Writes files and their folders: all or none, each file atomically. Files that replace others must come last, since
 * a replacement cannot be undone; with several of them, the caller accepts that risk.
 */
export async function writeNewFiles(files: readonly NewFile[]): Promise<NewFilesOutcome> {
  const made: string[] = [];
  const folders: string[] = [];
  for (const file of files) {
    const outcome = await writeOne(file, folders).catch((error: NodeJS.ErrnoException) => {
      // An error without a code is a bug, not the system's.
      if (error.code === undefined) throw error;
      return error.code === "EEXIST"
        ? ({ kind: "exists", path: file.path } as const)
        : ({ kind: "failed", path: file.path, reason: reasons[error.code] ?? error.code } as const);
    });
    if (outcome.kind === "written") {
      if (!outcome.isReplaced) made.push(file.path);
      continue;
    }
    for (const path of made) await rm(path, { force: true });
    // Keep a folder in which another program has put something.
    for (const folder of folders.reverse()) await rmdir(folder).catch(() => undefined);
    return outcome;
  }
  return { kind: "written" };
}

const reasons: Readonly<Record<string, string>> = {
  ...writeReasons,
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a folder",
};

async function writeOne(
  { path, text, replaces }: NewFile,
  folders: string[],
): Promise<
  { readonly kind: "written"; readonly isReplaced: boolean } | Exclude<NewFilesOutcome, { kind: "written" }>
> {
  const before = replaces ? await readFile(path).catch(missing) : undefined;
  if (before) {
    const replaced = await replaceFile(path, before, Buffer.from(text));
    return replaced.kind === "replaced"
      ? { kind: "written", isReplaced: true }
      : { kind: "failed", path, reason: replaced.reason };
  }
  folders.push(...newFolders(dirname(path)));
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(draft, text, { flag: "wx" });
    await place(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return { kind: "written", isReplaced: false };
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

/** Creates a folder and its parents; returns the new ones, outermost first. */
function newFolders(folder: string): readonly string[] {
  const first = makeFolders(folder);
  if (first === undefined) return [];
  const made = [folder];
  while (made[0] !== undefined && made[0] !== first) made.unshift(dirname(made[0]));
  return made;
}

/** Gives a draft its name, unless the name is taken. Some file systems have no links. */
async function place(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL);
  }
}
