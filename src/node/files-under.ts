import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** What is looked at before the rest is left out: a folder may be the whole of a home. */
const mostEntries = 5_000;

/**
 * The ordinary files in a folder and in those below it, the nearest first where there are too many.
 * @param depth of the folders that are looked into, the first being 1
 * @returns paths as seen from the folder, in order; nothing of folders that cannot be read
 */
export async function filesUnder(folder: string, depth: number): Promise<readonly string[]> {
  const files: string[] = [];
  let left = mostEntries;
  let level = [""];
  for (let below = 0; below < depth && level.length > 0; below++) {
    const next: string[] = [];
    for (const path of level) {
      for (const entry of await entriesOf(join(folder, path))) {
        if (left-- <= 0) return files.sort();
        if (entry.isFile()) files.push(path + entry.name);
        else if (entry.isDirectory() && !isHidden(entry.name)) next.push(`${path}${entry.name}/`);
      }
    }
    level = next;
  }
  return files.sort();
}

function isHidden(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/** This is about a hint: what nobody may look into holds nothing that could be proposed. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
