import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { writeReasons } from "../../base/file-reasons.js";

/** How many bytes of a file suffice to recognise its writer. */
const headLength = 4_096;

const reasons: Readonly<Record<string, string>> = {
  ...writeReasons,
  ENOSPC: `${writeReasons.ENOSPC}.`,
  EDQUOT: `${writeReasons.EDQUOT}.`,
  ENOENT: "its folder does not exist. Create the folder first, or choose another name.",
  ENOTDIR: "a part of its path is not a folder. Choose another name.",
  EISDIR: "it is a folder. Name a file in it.",
  ENAMETOOLONG: "its name is too long. Choose a shorter one.",
};

/**
 * Writes a file atomically. Replaces an existing file only if graphloom wrote it.
 * @param path absolute
 * @param isOwn tells from a file's first bytes whether graphloom wrote it; or the beginning of all such files
 * @returns why it could not be written, and what to do; `undefined` on success
 */
export async function writeOwnFile(
  path: string,
  content: string | Uint8Array,
  isOwn: string | ((head: Uint8Array) => boolean),
): Promise<string | undefined> {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const head = await readHead(path);
    if (head === "no file") return "it is not a file. Choose another name.";
    if (head && !(typeof isOwn === "string" ? head.toString().startsWith(isOwn) : isOwn(head)))
      return "a file with this name already exists, and graphloom did not write it. Choose another name, or remove the file.";
    await writeFile(draft, content, { flag: "wx" });
    await rename(draft, path);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // An error without a code is a bug, not the system's.
    if (code === undefined) throw error;
    // If a folder is missing, there is no draft either.
    await rm(draft, { force: true }).catch(() => undefined);
    return reasons[code] ?? (error as Error).message;
  }
}

/** The first bytes of a file; `undefined` if it does not exist. */
async function readHead(path: string): Promise<Buffer | "no file" | undefined> {
  try {
    // Non-blocking: the file may be a pipe without a writer.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await file.stat();
      if (!stats.isFile() && !stats.isDirectory()) return "no file";
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
