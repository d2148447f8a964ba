import { factsOfParquet, readParquet } from "../parquet/read-parquet.js";
import { type Marker, markerIn, readMarker } from "./marker.js";
import { type RecordedRange, recordedRanges } from "./range-proofs.js";
import type { TableFiles } from "./table-files.js";
import { aboutWindow, columnsOfWindow } from "./window-pieces.js";
import { type WindowFile, windowFile } from "./windows.js";

export interface FolderVerification {
  readonly marker: Marker;
  readonly files: number;
  readonly rows: number;
  /** The records of complete files, in block order. */
  readonly ranges: readonly RecordedRange[];
  /** Files that are damaged, or whose content does not match their name. */
  readonly faults: readonly { readonly file: string; readonly why: string }[];
}

/**
 * Checks that the files of a folder are complete and contain the blocks in their names, and looks up their proofs.
 * @throws StrangeFolderError if it has no marker, or an unreadable one
 */
export async function verifyFolder(files: TableFiles): Promise<FolderVerification> {
  const marker = readMarker((await markerIn(files)) ?? "");
  const whole: WindowFile[] = [];
  const faults: { readonly file: string; readonly why: string }[] = [];
  let rows = 0;
  for (const path of await files.list(".")) {
    const file = windowFile(path);
    if (!file) continue;
    try {
      rows += await rowsIn((await files.bytes(path)) ?? new Uint8Array(), marker, file);
      whole.push(file);
    } catch (error) {
      faults.push({ file: path, why: (error as Error).message });
    }
  }
  return {
    marker,
    files: whole.length,
    rows,
    ranges: recordedRanges(marker.proofs ?? [], whole),
    faults,
  };
}

/** @throws Error that says how the content does not match the name */
async function rowsIn(bytes: Uint8Array, { dataset }: Marker, file: WindowFile): Promise<number> {
  const facts = factsOfParquet(bytes);
  for (const [key, value] of Object.entries(aboutWindow(dataset, file)))
    if (facts.about.get(key) !== value)
      throw new Error(`it says that its ${key} is ${facts.about.get(key)}, not ${value}`);
  const columns = columnsOfWindow(dataset, facts);
  if (!columns) throw new Error("it has other columns than the dataset");
  await readParquet(bytes, columns);
  return facts.rows;
}
