import {
  type HolderNote,
  holderNote,
  type LockHolder,
  readHolderNote,
  thisProcess,
} from "../../../base/lock-holder.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { visible } from "../../../base/text/visible.js";
import type { ParquetForm } from "../../../datasets/parquet/write-parquet.js";
import type { RowColumn } from "../../changes/schema.js";
import { placesOf } from "../../changes/source-parts.js";
import type { KeptLineage, LineageGuard } from "../../state/lineage-guard.js";
import type { Positions } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { BlockRange } from "../audit.js";
import { giveUp, standingWindows } from "./given-up.js";
import type { AuditedFiles, WindowFiles } from "./window-files.js";
import type { WindowLayout } from "./window-layout.js";
import { type NamedWindow, overlapped, type WindowFile } from "./window-names.js";

/** A folder whose files are known. */
export interface FileFolder {
  /** Where each source continues. */
  readonly positions: Positions;
  /** Notes where a source begins, before anything of it is written. */
  begin(source: string, from: number): Promise<void>;
  /** Notes that a window is about to be written, where other writers are found only so. @throws SinkError if there is one */
  claim(source: string, window: BlockRange): Promise<void>;
  /** Notes where a source continues, once all before it is written. */
  reach(source: string, next: number): Promise<void>;
}

/** What the marker of a folder says. */
interface Marker {
  /** The first block of each source. */
  readonly begins: Readonly<Record<string, number>>;
  /** The block after the last one that was written. */
  readonly ends: Readonly<Record<string, number>>;
  /** The window of each source that was about to be written, where other writers are found only so. */
  readonly writing?: Readonly<Record<string, readonly [from: number, to: number]>> | undefined;
  /** Where the rows come from, if it was noted. */
  readonly lineage?: string | undefined;
  /** The process that has written it, and since when, where other writers are found only so. */
  readonly writer?: HolderNote | undefined;
}

export interface FolderOwner {
  readonly files: AuditedFiles;
  /** What messages call the place, and the setting that chooses it. */
  readonly place: { readonly name: string; readonly setting: string };
  readonly flow: string;
  readonly sink: string;
  readonly sources: readonly string[];
  readonly columns: readonly RowColumn[];
  /** Names of columns whose values are in the names of folders, in their order; none if absent. */
  readonly partitions?: readonly string[] | undefined;
  /** How the rows of files are packed. */
  readonly form?: ParquetForm | undefined;
  readonly lineage?: LineageGuard | undefined;
  /** When this run began, in milliseconds since the Unix epoch, where other writers are found only by the marker. */
  readonly began?: number | undefined;
}

/** The name of the marker. Readers of folders skip files whose names begin like this. */
export const markerName = "_graphloom.json";
/** The name that earlier versions gave it. */
export const formerMarkerName = "graphloom.json";
/** A draft that a crash has left. Readers would take one of an earlier version for a file, since it is not hidden. */
const draftName = /((^|\/)\.?\d+-\d+\.(parquet|window)|^\.?_?graphloom\.json)\.[0-9a-f]{12}\.tmp$/;

/**
 * Reads which windows a folder has, once no other process writes it.
 * @param layout how they are kept; one whose writer was interrupted is completed
 * @throws SinkError when it holds something else, or a window is missing between two others
 */
export async function openFileFolder(owner: FolderOwner, layout: WindowLayout): Promise<FileFolder> {
  const { files, sources } = owner;
  const paths = await visiblePaths(files);
  const { lineage: guard } = owner;
  const kept = await readOwnMarker(owner, paths);
  guard?.check(lineageIn(kept));
  const marker = await readMarker(owner, paths);
  for (const path of files.remove ? await files.list(".") : [])
    if (draftName.test(path)) await files.remove?.(path);
  const name = await renamedMarker(files, paths);
  const lineage = guard?.text ?? marker.lineage;
  const begins = new Map(Object.entries(marker.begins));
  const ends = new Map(Object.entries(marker.ends));
  const positions = new Map<string, { readonly next: number; readonly open: readonly [] }>();
  for (const source of sources.flatMap((name) => placesOf(name, begins.keys()))) {
    const first = begins.get(source);
    if (first === undefined) continue;
    // A writer continues to the next window once the one before is complete.
    const windows = await standingWindows(files, layout, source, paths);
    const last = windows.at(-1);
    if (last?.from !== undefined && !(await layout.complete(source, last)))
      throw new SinkError(
        `${visible(last.path)} is damaged. Write it again with: graphloom pipeline repair`,
        false,
      );
    const next = nextOf(windows, first, ends.get(source) ?? first, owner);
    const [from, to] = marker.writing?.[source] ?? [];
    if (files.isShared && from === next && to !== undefined) {
      const path = layout.nameOf(source, { from, to });
      if (!paths.includes(path)) await giveUp(files, path, owner.columns, { from, to });
    }
    positions.set(source, { next, open: [] });
  }
  const writing = new Map(Object.entries(marker.writing ?? {}));
  const write = (): Promise<void> =>
    writeMarker(owner, name, {
      begins: Object.fromEntries(begins),
      ends: Object.fromEntries(ends),
      lineage,
      writing: files.isShared ? Object.fromEntries(writing) : undefined,
      writer:
        owner.began === undefined
          ? undefined
          : holderNote({ ...thisProcess(), since: new Date(owner.began) }),
    });
  if (kept && lineage !== marker.lineage) await write();
  return {
    positions,
    begin: async (source, from) => {
      if (begins.has(source)) return;
      begins.set(source, from);
      await write();
    },
    claim: async (source, { from, to }) => {
      if (!files.isShared) return;
      writing.set(source, [from, to]);
      // The marker is replaced only if it is as this writer has left it. So of two writers, one ends here.
      await write();
    },
    reach: async (source, next) => {
      ends.set(source, next);
      writing.delete(source);
      await write();
    },
  };
}

/**
 * Gives the marker of a folder of an earlier version its name of now. Where files cannot be removed, it keeps the one it has:
 * another writer looks for it there.
 * @returns the name that it has
 */
async function renamedMarker(files: WindowFiles, paths: readonly string[]): Promise<string> {
  if (!paths.includes(formerMarkerName)) return markerName;
  if (!files.remove) return paths.includes(markerName) ? markerName : formerMarkerName;
  const text = paths.includes(markerName) ? undefined : await files.read(formerMarkerName);
  // A crash leaves at least one of them.
  if (text !== undefined) await files.write(markerName, new TextEncoder().encode(text));
  await files.remove(formerMarkerName);
  return markerName;
}

/** Paths of all files that readers see. */
export async function visiblePaths(files: WindowFiles): Promise<readonly string[]> {
  return (await files.list(".")).filter((path) => !/(^|\/)\./.test(path));
}

/** The block after the last window. Windows follow each other from the first block on. */
function nextOf(windows: readonly WindowFile[], first: number, end: number, owner: FolderOwner): number {
  let next = first;
  for (const window of windows) {
    if (window.from === undefined) throw strange(window.path, owner);
    if (window.from < next) throw overlap(windows, window, owner);
    if (window.from !== next) throw gap(next, ` before ${visible(window.path)}`);
    next = window.to + 1;
  }
  if (next < end) throw gap(next, "");
  return next;
}

function overlap(windows: readonly WindowFile[], window: NamedWindow, { place }: FolderOwner): SinkError {
  const other = overlapped(windows, window);
  const blocks = `${window.from}-${Math.min(window.to, other?.to ?? window.to)}`;
  return new SinkError(
    `The ${place.name} holds the rows of blocks ${blocks} twice: in ${visible(other?.path ?? "")} and in ${visible(window.path)}. Two runs have written it at once. Delete one of the two, and write what is missing then with: graphloom pipeline repair`,
    false,
  );
}

function gap(block: number, before: string): SinkError {
  return new SinkError(
    `The file of block ${block} is missing${before}. Put it back, or write it again with: graphloom pipeline repair`,
    false,
  );
}

/** What a marker says about where rows come from. */
export function lineageIn(marker: Marker | undefined): KeptLineage {
  const isWritten = marker !== undefined && Object.keys(marker.begins).length > 0;
  return { text: marker?.lineage, isWritten };
}

/** The process that has written a marker; `undefined` if it does not say so. */
export function writerIn(text: string): LockHolder | undefined {
  const marker = parseJson(text);
  return isRecord(marker) ? readHolderNote(marker.writer) : undefined;
}

/** @throws SinkError when the folder is of something else */
export async function readMarker(owner: FolderOwner, paths: readonly string[]): Promise<Marker> {
  const marker = await readOwnMarker(owner, paths);
  if (marker === undefined) return { begins: {}, ends: {} };
  const [kept, wanted] = [JSON.stringify(marker.columns), JSON.stringify(columnsOf(owner))];
  if (kept === wanted) return marker;
  const what =
    kept.includes(partitionKey) || wanted.includes(partitionKey) ? "columns or partitions" : "columns";
  throw new SinkError(
    `The ${owner.place.name} holds files with other ${what}. Choose another ${owner.place.setting}.`,
    false,
  );
}

/**
 * The marker of a folder, whatever columns its files have; `undefined` for an empty folder.
 * @throws SinkError when the folder is of something else
 */
export async function readOwnMarker(
  owner: FolderOwner,
  paths: readonly string[],
): Promise<(Marker & { readonly columns: unknown }) | undefined> {
  const { place } = owner;
  const text = (await owner.files.read(markerName)) ?? (await owner.files.read(formerMarkerName));
  if (text === undefined) {
    const [other] = paths.filter((path) => !path.endsWith(".tmp"));
    if (other !== undefined) throw strange(other, owner);
    return undefined;
  }
  const marker = parseJson(text);
  const isOwn =
    isRecord(marker) &&
    marker.flow === owner.flow &&
    marker.sink === owner.sink &&
    isRecord(marker.begins) &&
    isRecord(marker.ends);
  if (!isOwn)
    throw new SinkError(
      `The ${place.name} holds files of another pipeline or sink. Choose another ${place.setting}.`,
      false,
    );
  return marker as unknown as Marker & { readonly columns: unknown };
}

async function writeMarker(
  owner: FolderOwner,
  name: string,
  { begins, ends, writing, lineage, writer }: Marker,
): Promise<void> {
  const { flow, sink } = owner;
  const marker = { flow, sink, columns: columnsOf(owner), begins, ends, writing, lineage, writer };
  const text = JSON.stringify(marker, null, 2);
  await owner.files.write(name, new TextEncoder().encode(`${text}\n`));
}

const partitionKey = '"partition":';

function columnsOf({ columns, partitions = [] }: FolderOwner): readonly object[] {
  return columns.map(({ name, type }) => ({
    name,
    type,
    ...(partitions.includes(name) && { partition: partitions.indexOf(name) }),
  }));
}

function strange(path: string, { place }: FolderOwner): SinkError {
  return new SinkError(
    `The ${place.name} holds a file that this pipeline has not written: ${visible(path)}. Choose another ${place.setting}.`,
    false,
  );
}
