import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Limit of folder entries that are looked at: a folder may be a whole home directory. */
const mostEntries = 5_000;

/**
 * Lists the regular files in a folder and below it; beyond the limit, deep files are left out first.
 * @param depth levels of folders to look into; 1 is the folder alone
 * @returns sorted paths relative to the folder; unreadable folders are skipped
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

/** The result only serves hints, so an unreadable folder is no error. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
