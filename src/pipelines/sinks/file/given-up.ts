import { noRows } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type { BlockRange } from "../audit.js";
import { aboutFile, storedColumns, windowPieces } from "./window-file.js";
import type { AuditedFiles } from "./window-files.js";
import type { WindowLayout } from "./window-layout.js";
import type { NamedWindow, WindowFile } from "./window-names.js";

/** Where the metadata of a file says that its window was given up. */
const givenUpKey = "graphloom.given_up";
/** More than the metadata of an empty file takes. */
const footerBytes = 64 * 1024;

/**
 * Takes the name of a window that another writer is about to write, with an empty file. That writer cannot write the window
 * any more, however late it comes, so that this one may choose a window of another size.
 * @throws SinkError if the other writer was faster
 */
export async function giveUp(
  files: AuditedFiles,
  path: string,
  columns: readonly RowColumn[],
  { from, to }: BlockRange,
): Promise<void> {
  const entry = { from, to, rows: 0, sum: 0n };
  const nothing = [noRows(columns.length)];
  await files.write(path, windowPieces(storedColumns(columns), nothing, entry, { [givenUpKey]: "true" }));
}

/** The windows of a source in order, without windows that were given up. @param paths of all files */
export async function standingWindows(
  files: AuditedFiles,
  layout: WindowLayout,
  source: string,
  paths: readonly string[],
): Promise<readonly WindowFile[]> {
  const named = layout.windowsOf(source, paths);
  if (!files.isShared) return named;
  const dropped = new Set<WindowFile>();
  for (const window of doubtful(named)) if (await isGivenUp(files, window)) dropped.add(window);
  return named.filter((window) => !dropped.has(window));
}

async function isGivenUp(files: AuditedFiles, { path }: WindowFile): Promise<boolean> {
  const bytes = await files.bytes(path, footerBytes);
  return bytes !== undefined && aboutFile(bytes)?.get(givenUpKey) === "true";
}

/** Windows that may have been given up: windows that share blocks with another, and the last one. */
function doubtful(named: readonly WindowFile[]): ReadonlySet<WindowFile> {
  const found = new Set<WindowFile>(named.slice(-1));
  let before: NamedWindow | undefined;
  for (const window of named) {
    if (window.from === undefined) continue;
    if (before && window.from <= before.to) found.add(before).add(window);
    if (!before || window.to > before.to) before = window;
  }
  return found;
}
