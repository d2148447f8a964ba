import { isRecord, parseJson } from "../../../base/json-value.js";
import { visible } from "../../../base/visible.js";
import type { FlowColumn } from "../../changes/schema.js";
import { type Positions, SinkError } from "../sink.js";
import type { WindowFiles } from "./window-files.js";

/** A folder whose files are known. */
export interface FileFolder {
  /** Where each source continues. */
  readonly positions: Positions;
  /** Notes where a source begins, before anything of it is written. */
  begin(source: string, from: number): Promise<void>;
}

/** What the folder is of. */
export interface FolderOwner {
  readonly files: WindowFiles;
  /** What messages call the place, and the setting that chooses it. */
  readonly place: { readonly name: string; readonly setting: string };
  readonly flow: string;
  readonly sink: string;
  readonly sources: readonly string[];
  readonly columns: readonly FlowColumn[];
}

const markerName = "graphloom.json";
const digits = 12;

/** The file of a window: `transfers/000000000000-000000009999.parquet`. */
export function windowPath(source: string, from: number, to: number): string {
  const [first, last] = [from, to].map((block) => String(block).padStart(digits, "0"));
  return `${folderOf(source)}/${first}-${last}.parquet`;
}

/** A name of a source may be one that file systems refuse. Different names have different folders. */
function folderOf(source: string): string {
  return source.replaceAll(/[^A-Za-z0-9._-]|^\./g, (odd) =>
    [...Buffer.from(odd)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/**
 * Reads which windows a folder has.
 * @throws SinkError when it holds something else, or a window is missing between two others
 */
export async function openFileFolder(owner: FolderOwner): Promise<FileFolder> {
  const { files, sources } = owner;
  const paths = (await files.list(".")).filter((path) => !/(^|\/)\./.test(path));
  const marker = await readMarker(owner, paths);
  const begins = new Map(Object.entries(marker));
  const positions = new Map<string, { readonly next: number; readonly open: readonly [] }>();
  for (const source of sources) {
    const first = begins.get(source);
    if (first === undefined) continue;
    positions.set(source, { next: nextOf(source, first, paths, owner), open: [] });
  }
  return {
    positions,
    begin: async (source, from) => {
      if (begins.has(source)) return;
      begins.set(source, from);
      await writeMarker(owner, Object.fromEntries(begins));
    },
  };
}

/** The block after the last window. Windows follow each other from the first block on. */
function nextOf(source: string, first: number, paths: readonly string[], owner: FolderOwner): number {
  let next = first;
  for (const path of paths) {
    if (!path.startsWith(`${folderOf(source)}/`) || path.endsWith(".tmp")) continue;
    const [, from, to] = /\/(\d+)-(\d+)\.parquet$/.exec(path) ?? [];
    if (from === undefined || to === undefined) throw strange(path, owner);
    if (Number(from) !== next)
      throw new SinkError(
        `The file of block ${next} is missing before ${visible(path)}. Put it back, or remove all files of blocks after it.`,
        false,
      );
    next = Number(to) + 1;
  }
  return next;
}

async function readMarker(
  owner: FolderOwner,
  paths: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const { place } = owner;
  const text = await owner.files.read(markerName);
  if (text === undefined) {
    const [other] = paths.filter((path) => !path.endsWith(".tmp"));
    if (other !== undefined) throw strange(other, owner);
    return {};
  }
  const marker = parseJson(text);
  const isOwn =
    isRecord(marker) && marker.flow === owner.flow && marker.sink === owner.sink && isRecord(marker.begins);
  if (!isOwn)
    throw new SinkError(
      `The ${place.name} holds files of another pipeline or sink. Choose another ${place.setting}.`,
      false,
    );
  if (JSON.stringify(marker.columns) !== JSON.stringify(columnsOf(owner)))
    throw new SinkError(
      `The ${place.name} holds files with other columns. Choose another ${place.setting}.`,
      false,
    );
  return marker.begins as Readonly<Record<string, number>>;
}

async function writeMarker(owner: FolderOwner, begins: Readonly<Record<string, number>>): Promise<void> {
  const { flow, sink } = owner;
  const text = JSON.stringify({ flow, sink, columns: columnsOf(owner), begins }, null, 2);
  await owner.files.write(markerName, new TextEncoder().encode(`${text}\n`));
}

function columnsOf({ columns }: FolderOwner): readonly object[] {
  return columns.map(({ name, type }) => ({ name, type }));
}

function strange(path: string, { place }: FolderOwner): SinkError {
  return new SinkError(
    `The ${place.name} holds a file that this pipeline has not written: ${visible(path)}. Choose another ${place.setting}.`,
    false,
  );
}
