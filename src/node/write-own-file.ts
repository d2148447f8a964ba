import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";

/**
 * Writes a file atomically. It replaces an existing file only if graphloom wrote that as well.
 * @param path absolute
 * @param isOwn whether graphloom wrote a file with this content; as a text, the beginning of every such file
 * @returns why it could not be written; `undefined` when it was
 */
export async function writeOwnFile(
  path: string,
  content: string | Uint8Array,
  isOwn: string | ((before: Uint8Array) => boolean),
): Promise<string | undefined> {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const before = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (before && !(typeof isOwn === "string" ? before.toString().startsWith(isOwn) : isOwn(before)))
      return "a file with this name already exists, and graphloom did not write it";
    await writeFile(draft, content, { flag: "wx" });
    await rename(draft, path);
    return undefined;
  } catch (error) {
    await rm(draft, { force: true });
    return error instanceof Error ? error.message : String(error);
  }
}
