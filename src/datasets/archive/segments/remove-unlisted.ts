import type { ArchiveFiles } from "../archive-files.js";
import { manifestOf } from "./manifest.js";

/** Lock for removing files of an archive. Adding files does not require it. */
export const tidyLock = "tidy.lock";

/** Suffix of files that are being removed, as of a crash's leftovers. */
const doomed = ".00.tmp";

/**
 * Removes files that no line of the manifest lists, while other processes may write files with the same names and
 * list them. Writers check for their files after listing them, and rewrite missing ones. So this function renames a
 * file first, and then reads the manifest again. If the manifest lists the file, the file gets its name back. If not,
 * its writer has yet to list it and will notice that it is missing.
 * @param folder the chain's folder, relative to the archive's
 * @param paths relative to the folder
 */
export async function removeUnlisted(
  files: ArchiveFiles,
  folder: string,
  paths: readonly string[],
): Promise<void> {
  const before = await listedFiles(files, folder);
  const moved: string[] = [];
  for (const path of paths) {
    if (path.endsWith(doomed)) await removeDoomed(files, folder, path, before);
    else if (path.endsWith(".tmp")) await files.remove(`${folder}/${path}`);
    else if (!before.has(path) && (await files.rename(`${folder}/${path}`, `${folder}/${path}${doomed}`)))
      moved.push(path);
  }
  if (moved.length === 0) return;
  const after = await listedFiles(files, folder);
  for (const path of moved) await removeDoomed(files, folder, `${path}${doomed}`, after);
}

/** Removes a renamed file, or restores its name if it is listed. */
async function removeDoomed(
  files: ArchiveFiles,
  folder: string,
  path: string,
  listed: ReadonlySet<string>,
): Promise<void> {
  const name = path.slice(0, -doomed.length);
  if (listed.has(name)) await files.rename(`${folder}/${path}`, `${folder}/${name}`);
  else await files.remove(`${folder}/${path}`);
}

async function listedFiles(files: ArchiveFiles, folder: string): Promise<ReadonlySet<string>> {
  const { segments } = await manifestOf(files, folder);
  return new Set(segments.flatMap((segment) => segment.files.map(({ path }) => path)));
}
