import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes files to a new folder.
 * @param files contents by relative path; the caller has checked that no path leads out of the folder
 * @throws Error if the folder exists, or two paths name one file
 */
export function writeFiles(
  folder: string,
  files: Iterable<{ readonly path: string; readonly content: string | Uint8Array }>,
): void {
  mkdirSync(folder);
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { flag: "wx" });
  }
}
