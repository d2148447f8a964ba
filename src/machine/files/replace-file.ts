import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  access,
  constants,
  type FileHandle,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeReasons } from "../../base/file-reasons.js";

/** The result of replacing a file. Unless it is `replaced`, the file is unchanged. */
export type ReplaceResult =
  | { readonly kind: "replaced" }
  | { readonly kind: "failed"; readonly reason: string };

/** The file's mode or the system does not allow replacing the file. */
class Refusal extends Error {}

/** Why a file cannot be replaced, judging by its mode and by the system; `undefined` if it can. */
export async function whyUnreplaceable(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    await checkWritable(real, await stat(real));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Replaces a file's content atomically. Keeps its mode, and a symbolic link to it.
 * @param before the expected content; a file with other content is left alone
 */
export async function replaceFile(
  path: string,
  before: Uint8Array,
  after: Uint8Array,
): Promise<ReplaceResult> {
  try {
    // Replace the target of a symbolic link.
    const real = await realpath(path);
    const stats = await stat(real);
    await checkWritable(real, stats);
    await replace(real, stats, before, after);
    return { kind: "replaced" };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}

async function checkWritable(path: string, stats: Stats): Promise<void> {
  if (!stats.isFile()) throw new Refusal("it is no longer a file");
  // `rename` only needs permission for the folder, and root may write anything: the file's own mode decides.
  if ((stats.mode & 0o222) === 0) throw new Refusal("it is read-only");
  await access(path, constants.W_OK);
}

async function checkUnchanged(path: string, before: Uint8Array): Promise<void> {
  if (!(await readFile(path)).equals(before)) {
    throw new Refusal("it was changed by another program in the meantime");
  }
}

/** Uses a temporary file in the same folder, because `rename` is atomic only within a file system. */
async function replace(path: string, stats: Stats, before: Uint8Array, after: Uint8Array): Promise<void> {
  const draft = join(
    dirname(path),
    `.${basename(path)}.graphloom-${process.pid}-${randomBytes(4).toString("hex")}`,
  );
  try {
    const file = await open(draft, "wx", stats.mode & 0o777).catch(noRoom);
    try {
      await fill(file, stats, after);
    } finally {
      await file.close();
    }
    await checkUnchanged(path, before);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function noRoom(error: unknown): never {
  const isForbidden =
    error instanceof Error && "code" in error && /^(?:EACCES|EPERM)$/.test(String(error.code));
  throw isForbidden ? new Refusal("its folder does not allow a new file beside it") : error;
}

async function fill(file: FileHandle, { mode, uid, gid }: Stats, content: Uint8Array): Promise<void> {
  const made = await file.stat();
  // Keep the owner and the group.
  if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid);
  await file.chmod(mode & 0o7777);
  await file.writeFile(content);
  await file.sync();
}

const reasons: Readonly<Record<string, string>> = {
  ...writeReasons,
  ENOENT: "it was removed in the meantime",
  ENAMETOOLONG: "its name is too long for a temporary file beside it",
};

function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  // An error without a code is a bug, not the system's.
  if (code === undefined) throw error;
  return reasons[code] ?? code;
}
