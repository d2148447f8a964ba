import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";

/**
 * Writes a file whole or not at all. One that is there is only replaced when it begins as our own do.
 * @param path absolute
 * @param beginning what all our files of this kind begin with
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
