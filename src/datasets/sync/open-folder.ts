import {
  checkMarker,
  emptyFolder,
  formerMarkerName,
  type Marker,
  markerIn,
  markerName,
  readMarker,
  StrangeFolderError,
  writeMarker,
} from "./marker.js";
import type { TableFiles } from "./table-files.js";
import { type WindowFile, windowFile } from "./windows.js";

/** A folder of one dataset, ready to be filled. */
export interface OpenedFolder {
  readonly marker: Marker;
  readonly files: readonly WindowFile[];
}

/** Smallest size of a Parquet file: the markers at both ends and the length of its footer. */
const leastBytes = 12;
/** Matches a file that a crash has left while it was being written. */
const draftName = /(\.parquet|^\.?_?graphloom\.json)\.[0-9a-f]{12}\.tmp$/;

/**
 * Opens a folder of table files, or starts one. Removes drafts that a crash has left, and incomplete files.
 * @param wanted the wanted content; without `blocksPerFile`, the folder's value or else `usual`
 * @throws StrangeFolderError if the folder has other content, or foreign files
 */
export async function openFolder(
  files: TableFiles,
  wanted: Omit<Marker, "blocksPerFile"> & { readonly blocksPerFile: number | undefined },
  usual: number,
  onDamage: (path: string) => void,
): Promise<OpenedFolder> {
  const found = await files.list(".");
  const drafts = found.filter((path) => draftName.test(path));
  // Other hidden files belong to the system, which creates them everywhere.
  const paths = found.filter((path) => !/(^|\/)\.|\.tmp$/.test(path));
  const content = await markerIn(files);
  if (content === undefined) {
    const [strange] = paths;
    if (strange !== undefined)
      throw new StrangeFolderError(
        windowFile(strange)
          ? `it has files such as ${strange}, but no ${markerName} that says what they hold. ${emptyFolder}`
          : `it has files that graphloom did not write, such as ${strange}`,
      );
    for (const path of drafts) await files.remove(path);
    const blocksPerFile = wanted.blocksPerFile ?? usual;
    const marker = { ...wanted, blocksPerFile };
    await writeMarker(files, marker);
    return { marker, files: [] };
  }
  const marker = readMarker(content);
  const { blocksPerFile } = marker;
  checkMarker(marker, { ...wanted, blocksPerFile: wanted.blocksPerFile ?? blocksPerFile });
  for (const path of drafts) await files.remove(path);
  if (paths.includes(formerMarkerName)) {
    // A crash leaves at least one of them.
    if (!paths.includes(markerName)) await writeMarker(files, marker);
    await files.remove(formerMarkerName);
  }
  const whole: WindowFile[] = [];
  for (const path of paths) {
    if (path === markerName || path === formerMarkerName) continue;
    const file = windowFile(path);
    const isOne = file && Math.floor(file.from / blocksPerFile) === Math.floor(file.to / blocksPerFile);
    if (!isOne) throw new StrangeFolderError(`it has files that graphloom did not write, such as ${path}`);
    if (await isWhole(files, path)) whole.push(file);
    else {
      onDamage(path);
      await files.remove(path);
    }
  }
  return { marker, files: whole };
}

async function isWhole(files: TableFiles, path: string): Promise<boolean> {
  const { size, first, last } = await files.ends(path);
  return size >= leastBytes && first === "PAR1" && last === "PAR1";
}
