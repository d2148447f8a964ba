import { statSync } from "node:fs";
import { join } from "node:path";

/**
 * Those of some paths that lead to one of these files, however either is spelled: through links, with `..`, in other
 * letters where they mean the same. What is not there leads nowhere.
 * @param files absolute paths
 * @param paths relative to the folder
 */
export function leadingTo(
  files: Iterable<string>,
  folder: string,
  paths: readonly string[],
): readonly string[] {
  const identities = new Set([...files].map(identityOf));
  identities.delete(undefined);
  return paths.filter((path) => identities.has(identityOf(join(folder, path))));
}

/** What all paths to a file have in common; nothing for what is no file. */
function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true });
    return stats.isFile() ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}
