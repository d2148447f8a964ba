import { groupBy } from "../../../base/group-by.js";
import { logKey } from "../../../runtime/chain/log-order.js";
import { mergeLogs } from "../../../runtime/chain/rpc/logs-request.js";
import type { ArchiveFiles } from "../archive-files.js";
import { joinClaims } from "./claims.js";
import { listSegment } from "./list-segment.js";
import { type Segment, weightOf } from "./manifest.js";
import { removeUnlisted } from "./remove-unlisted.js";
import { readUndamaged, type SegmentContent } from "./segments.js";

/** Blocks per window: merging never crosses a multiple of this. */
export const segmentBlocks = 100_000;
/** A window with this many small segments of a kind is merged. */
const mostSmall = 16;
/** A segment with fewer bytes than this is small. */
const smallBytes = 512 * 1024;
/** Bytes of files that are merged into one segment; their content is held in memory. */
const mergedBytes = 2 * 1024 * 1024;

/** Whether segments of one kind are worth merging. */
export function wantMerging(segments: readonly Segment[]): boolean {
  return smallOnes(segments).length > 0;
}

/**
 * Merges small segments of one kind within a window of blocks. Runs that follow the chain head produce them. First
 * the merged segment is written, then one manifest line lists it and forgets the old ones, then their files are
 * removed, so a crash only leaves leftovers. Several processes may merge at the same time: they list the same
 * segment, or several with the same content.
 * @returns whether any were merged
 * @throws errors of the system
 */
export async function mergeSegments(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  segments: readonly Segment[],
): Promise<boolean> {
  let hasMerged = false;
  for (const small of smallOnes(segments)) {
    const [old, contents]: [Segment[], SegmentContent[]] = [[], []];
    for (const segment of small) {
      const content = await readUndamaged(files, folder, chainId, segment);
      if (!content) continue;
      old.push(segment);
      contents.push(content.kind === "logs" ? { ...content, source: segment.source } : content);
    }
    const merged = old.length > 1 ? mergedContent(contents) : undefined;
    if (!merged) continue;
    const { files: kept } = await listSegment(files, folder, chainId, merged, old);
    const names = new Set(kept.map(({ path }) => path));
    const gone = old.flatMap((segment) => segment.files.map(({ path }) => path));
    await removeUnlisted(
      files,
      folder,
      gone.filter((path) => !names.has(path)),
    );
    hasMerged = true;
  }
  return hasMerged;
}

/** Lists of small segments to merge, each in block order. */
function smallOnes(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const small = segments.filter(
    (segment) => windowOf(segment.from) === windowOf(segment.to) && weightOf(segment) < smallBytes,
  );
  // What a source returned can be removed only while it is apart from the rest.
  return [...groupBy(small, ({ from, source = "" }) => `${windowOf(from)} ${source}`).values()]
    .filter((list) => list.length >= mostSmall)
    .flatMap((list) => parts([...list].sort((one, other) => one.from - other.from)));
}

/** Splits a list so that the files of each part are not too large together. */
function parts(list: readonly Segment[]): readonly (readonly Segment[])[] {
  const all: Segment[][] = [[]];
  let bytes = 0;
  for (const segment of list) {
    bytes += weightOf(segment);
    if (bytes > mergedBytes) {
      all.push([]);
      bytes = weightOf(segment);
    }
    all.at(-1)?.push(segment);
  }
  return all.filter(({ length }) => length > 1);
}

function windowOf(block: number): number {
  return Math.floor(block / segmentBlocks);
}

/**
 * The joined content of segments of one kind; `undefined` if they contradict each other, which verification reports.
 */
function mergedContent(contents: readonly SegmentContent[]): SegmentContent | undefined {
  const [first] = contents;
  if (first?.kind === "blocks") {
    const all = contents.flatMap((one) => (one.kind === "blocks" ? one.blocks : []));
    const blocks = distinct(
      all,
      ({ number }) => number,
      ({ hash }) => hash,
    );
    return blocks && { kind: "blocks", blocks: blocks.sort((one, other) => one.number - other.number) };
  }
  if (first?.kind === "answers") {
    const all = contents.flatMap((one) => (one.kind === "answers" ? one.answers : []));
    const answers = distinct(
      all,
      ({ question }) => question,
      ({ answer }) => answer,
    );
    return answers && { kind: "answers", answers: answers.sort((one, other) => one.block - other.block) };
  }
  const lists = contents.flatMap((one) => (one.kind === "logs" ? [one] : []));
  const all = lists.flatMap((one) => one.logs);
  const blocks = distinct(
    all,
    ({ block }) => block.number,
    ({ block }) => block.hash,
  );
  const logs = blocks && distinct(all, logKey, (log) => JSON.stringify(log));
  const claims = joinClaims(lists.flatMap((one) => one.claims));
  return logs && { kind: "logs", logs: mergeLogs([logs]), claims, source: lists[0]?.source };
}

/** One item for each name; `undefined` if two with the same name differ. */
function distinct<T, N>(
  all: readonly T[],
  nameOf: (one: T) => N,
  textOf: (one: T) => string,
): T[] | undefined {
  const known = new Map<N, T>();
  for (const one of all) {
    const same = known.get(nameOf(one));
    if (same && textOf(same) !== textOf(one)) return undefined;
    if (!same) known.set(nameOf(one), one);
  }
  return [...known.values()];
}
