import type { BlockPointer } from "../../../runtime/chain/chain.js";
import type { ArchiveFiles } from "../archive-files.js";

/** What a segment holds. */
export type SegmentKind = "blocks" | "logs" | "answers";

export interface SegmentFile {
  /** Relative to the folder of the chain. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly sha256: string;
}

/** A part of the archive that is written at one time. */
export interface Segment {
  readonly kind: SegmentKind;
  /** The first and last block that it covers. */
  readonly from: number;
  readonly to: number;
  /** Blocks, logs or answers. */
  readonly rows: number;
  readonly files: readonly SegmentFile[];
  /** Parent hash of the first block, and the last block; only for blocks. */
  readonly parentHash?: string;
  readonly last?: BlockPointer;
  /** Set if a block of these logs numbers logs per transaction. */
  readonly byTransaction?: true;
  /** The source of history that returned these logs; absent for nodes. */
  readonly source?: string;
}

/** How far a chain was known when it was last read. */
export interface ChainMarks {
  readonly head: BlockPointer;
  /** The newest final block. */
  readonly final: BlockPointer;
}

export type ManifestLine =
  /** A segment, and the names of the segments that it replaces. */
  | { readonly segment: Segment; readonly instead?: readonly string[] }
  | { readonly marks: ChainMarks }
  /** Segments by their names. */
  | { readonly removed: readonly string[] }
  | { readonly aside: AsideSegment };

/**
 * A segment that is not used, because it contradicts the final chain or is damaged. Its files are in `asideFolder`.
 */
export interface AsideSegment {
  readonly segment: Segment;
  readonly why: string;
}

/** The folder for files that are set aside, within the chain's folder. */
export const asideFolder = "aside";

/** The name of a file that is set aside, relative to the chain's folder. */
export function asidePath(path: string): string {
  return `${asideFolder}/${path.replace("/", "-")}`;
}

/** The content of a manifest, from all of its lines. */
export interface Manifest {
  readonly segments: readonly Segment[];
  readonly marks: ChainMarks | undefined;
  /** Segments that were set aside. */
  readonly aside: readonly AsideSegment[];
  /** Lines that could not be read: torn by a crash, or damaged. */
  readonly torn: number;
}

/** A line to append. Begins with a line break, so that it is separate even from a torn last line. */
export function manifestText(line: ManifestLine): string {
  return `\n${JSON.stringify(line)}\n`;
}

/** Reads a manifest. Counts and skips torn lines; their data is fetched again. */
export function readManifest(text: string): Manifest {
  const segments = new Map<string, Segment>();
  const aside = new Map<string, AsideSegment>();
  let marks: ChainMarks | undefined;
  let torn = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const read = readLine(line);
    if (!read) torn += 1;
    else if ("segment" in read) {
      for (const name of read.instead ?? []) segments.delete(name);
      segments.set(segmentName(read.segment), read.segment);
    } else if ("marks" in read) marks = newer(marks, read.marks);
    else if ("aside" in read) {
      segments.delete(segmentName(read.aside.segment));
      aside.set(segmentName(read.aside.segment), read.aside);
    } else
      for (const name of read.removed) {
        segments.delete(name);
        aside.delete(name);
      }
  }
  return { segments: [...segments.values()], marks, aside: [...aside.values()], torn };
}

/** The manifest's name in a chain's folder. */
export const manifestFile = "manifest.jsonl";

/** The current manifest of a chain's folder; empty if there is none. */
export async function manifestOf(files: ArchiveFiles, folder: string): Promise<Manifest> {
  const bytes = await files.read(`${folder}/${manifestFile}`);
  return readManifest(new TextDecoder().decode(bytes ?? new Uint8Array()));
}

/** Total size of segments' files. A shared file counts for each segment. */
export function weightOf(...segments: readonly Segment[]): number {
  return segments.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The name of a segment: the paths of its files, some of which may be shared with another segment. */
export function segmentName({ files }: Segment): string {
  return files.map(({ path }) => path).join(" ");
}

/** Two processes may have read the chain at the same time. */
function newer(one: ChainMarks | undefined, other: ChainMarks): ChainMarks {
  return one && one.final.number > other.final.number ? one : other;
}

function readLine(line: string): ManifestLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { segment, instead, marks, removed, aside } = value;
  if (isSegment(segment)) {
    if (instead === undefined) return { segment };
    return isNames(instead) ? { segment, instead } : undefined;
  }
  if (isMarks(marks)) return { marks };
  if (isNames(removed)) return { removed };
  if (isObject(aside) && isSegment(aside.segment) && typeof aside.why === "string")
    return { aside: { segment: aside.segment, why: aside.why } };
  return undefined;
}

function isSegment(value: unknown): value is Segment {
  if (!isObject(value)) return false;
  const { kind, from, to, rows, files, parentHash, last, byTransaction, source } = value;
  return (
    (kind === "blocks" || kind === "logs" || kind === "answers") &&
    isCount(from) &&
    isCount(to) &&
    from <= to &&
    isCount(rows) &&
    Array.isArray(files) &&
    files.length > 0 &&
    files.every(isFile) &&
    (parentHash === undefined || isHash(parentHash)) &&
    (last === undefined || isPointer(last)) &&
    (byTransaction === undefined || byTransaction === true) &&
    (source === undefined || (typeof source === "string" && source.length <= longestSource))
  );
}

/** UTF-16 units of the name of a source: a kind, and the address of a server. */
const longestSource = 300;

/** Segment files are in folders by kind: a path never leads out of the chain's folder. */
const pathPattern = /^(blocks|transactions|logs|claims|answers)\/[0-9a-z-]+\.parquet$/;

function isFile(value: unknown): value is SegmentFile {
  if (!isObject(value)) return false;
  const { path, bytes, sha256 } = value;
  return (
    typeof path === "string" &&
    pathPattern.test(path) &&
    isCount(bytes) &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256)
  );
}

function isMarks(value: unknown): value is ChainMarks {
  return isObject(value) && isPointer(value.head) && isPointer(value.final);
}

function isPointer(value: unknown): value is BlockPointer {
  return isObject(value) && isCount(value.number) && isHash(value.hash);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
