import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";

/**
 * Whether a path is a folder or lies in it, after all symbolic links are followed. Of a path that does not exist, the part
 * counts that does.
 * @param folder an existing folder
 * @param path absolute
 */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(realpathSync(folder), realPart(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of a file, or of the deepest folder on the way to it that exists. */
function realPart(path: string): string {
  for (let part = path; ; part = dirname(part)) {
    try {
      return realpathSync(part);
    } catch (error) {
      const isRoot = dirname(part) === part;
      if (isRoot || !(error instanceof Error && "code" in error)) throw error;
    }
  }
}
