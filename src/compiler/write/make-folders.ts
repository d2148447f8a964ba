import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it, one by one: Node's own way of that never ends where none can be made.
 * @param path absolute
 * @param mode of those that are made
 * @returns the outermost folder that was made; nothing when all were there
 * @throws the error of the file system
 */
export function makeFolders(path: string, mode = 0o777): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })) return undefined;
  const outermost = dirname(path) === path ? undefined : makeFolders(dirname(path), mode);
  const isMade = makeFolder(path, mode);
  return outermost ?? (isMade ? path : undefined);
}

function makeFolder(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
