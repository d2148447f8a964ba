import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";

/**
 * Writes a file atomically. It replaces an existing file only if that file starts like those that graphloom writes.
 * @param path absolute
 * @param beginning the start of every file of this kind that graphloom writes
 * @returns why it could not be written; `undefined` when it was
 */
export async function writeOwnFile(
  path: string,
  text: string,
  beginning: string,
): Promise<string | undefined> {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const before = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return beginning;
      throw error;
    });
    if (!before.startsWith(beginning))
      return "a file with this name already exists, and graphloom did not write it";
    await writeFile(draft, text, { flag: "wx" });
    await rename(draft, path);
    return undefined;
  } catch (error) {
    await rm(draft, { force: true });
    return error instanceof Error ? error.message : String(error);
  }
}
