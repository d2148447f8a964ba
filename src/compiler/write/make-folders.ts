import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents, one by one: Node's recursive `mkdir` never returns if it cannot create any.
 * @param path absolute
 * @returns the outermost new folder; `undefined` if all existed
 * @throws the file system's error
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
    // Another process has created it.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
