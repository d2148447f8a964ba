import { statSync } from "node:fs";
import { join } from "node:path";

/**
 * The paths that resolve to one of these files, however they are spelled: through links, with `..`, or in different
 * case on a file system that ignores case. Missing files never match.
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

/** A file's identity (device and inode); `undefined` if there is no file. */
function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true });
    return stats.isFile() ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}
