import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { quotePath } from "../base/quote.js";
import { visible } from "../base/visible.js";
import { hasPendingChange } from "../compiler/write/journal.js";
import { readRecord, recordText } from "../compiler/write/record.js";
import { BundleError } from "../subgraph/bundle-error.js";

/** Levels of folders between a manifest and its project: `build`, and one for the chain. */
const depth = 2;

/**
 * Checks that no project that contains one of the paths is partly written.
 * @param paths absolute paths of manifests, builds or projects
 * @returns a state that differs after one of the projects is written
 * @throws BundleError when a project may hold a mixture of old and new files
 */
export function settledState(paths: readonly string[]): string {
  const folders = new Set(paths.flatMap(foldersAround));
  return [...folders]
    .map((folder) => {
      if (hasPendingChange(folder)) throw halfWritten(folder);
      return `${folder} ${recordText(readRecord(folder))}`;
    })
    .join("");
}

function halfWritten(folder: string): BundleError {
  return new BundleError(
    `${quotePath(visible(folder))} is half written: a run that replaces its files was interrupted or is still running. ` +
      "To complete it, run that again: graphloom compile <config> --out <folder> --force.",
  );
}

/** The folder at a path, and its parents that may be its project. */
function foldersAround(path: string): readonly string[] {
  const innermost = folderOf(path);
  if (innermost === undefined) return [];
  const folders = [innermost];
  for (let height = 0; height < depth; height++) folders.push(dirname(folders.at(-1) ?? innermost));
  return folders;
}

/** The real path of a folder, or of a file's folder; `undefined` when the path does not exist. */
function folderOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : dirname(real);
  } catch {
    return undefined;
  }
}
