import { areSameLog, logKey } from "../../runtime/chain/log-order.js";
import type { ArchiveFiles } from "./archive-files.js";
import type { KeptChain } from "./kept-chains.js";
import { Coverage } from "./segments/claims.js";
import { type Segment, segmentName, weightOf } from "./segments/manifest.js";
import { WeightedCache } from "./segments/segment-cache.js";
import { readUndamaged, type SegmentContent } from "./segments/segments.js";
import { joinRanges } from "./verify/survey.js";

/** Bytes of files to cache. */
const cachedBytes = 32 * 1024 * 1024;

/**
 * Segments that the archive does not need, because others have all of their content. Of two segments with the same
 * content, returns one. Damaged segments count as empty and are not returned.
 * @throws errors of the system if a file cannot be read
 */
export async function redundantSegments(files: ArchiveFiles, chain: KeptChain): Promise<readonly Segment[]> {
  const cache = new WeightedCache<SegmentContent | undefined>(cachedBytes);
  const read = (segment: Segment): Promise<SegmentContent | undefined> =>
    cache.get(segmentName(segment), weightOf(segment), () =>
      readUndamaged(files, chain.folder, chain.chainId, segment),
    );
  let kept = chain.manifest.segments;
  const redundant: Segment[] = [];
  // Start with small ones: a larger one is more likely to contain their content than vice versa.
  for (const segment of [...kept].sort((one, other) => one.rows - other.rows)) {
    const near = kept.filter((other) => other !== segment && mayShare(segment, other));
    if (!isWithin(segment, near)) continue;
    if (!(await hasAll(segment, near, read))) continue;
    redundant.push(segment);
    kept = kept.filter((other) => other !== segment);
  }
  return redundant;
}

type Read = (segment: Segment) => Promise<SegmentContent | undefined>;

async function hasAll(segment: Segment, others: readonly Segment[], read: Read): Promise<boolean> {
  const content = await read(segment);
  if (!content) return false;
  if (content.kind === "logs") return hasLogs(content, others, read);
  const missing = new Map(rowsOf(content));
  for (const other of others) {
    const found = await read(other);
    if (found) for (const [key, value] of rowsOf(found)) if (missing.get(key) === value) missing.delete(key);
    if (missing.size === 0) return true;
  }
  return false;
}

/** The claims must be covered with equal proofs, and every log must be present. */
async function hasLogs(
  { logs, claims }: SegmentContent & { readonly kind: "logs" },
  others: readonly Segment[],
  read: Read,
): Promise<boolean> {
  const coverage = new Coverage();
  const missing = new Map(logs.map((log) => [logKey(log), log]));
  for (const other of others) {
    const found = await read(other);
    if (found?.kind !== "logs") continue;
    coverage.add(found.claims);
    for (const log of found.logs) {
      const same = missing.get(logKey(log));
      if (same && areSameLog(same, log)) missing.delete(logKey(log));
    }
  }
  if (missing.size > 0) return false;
  return claims.every(({ from, to, address, topics, proof }) =>
    coverage.covers({ from, to }, [{ addresses: address === undefined ? [] : [address], topics }], proof),
  );
}

/** The rows of a segment of blocks or answers, by lookup key. */
function rowsOf(content: SegmentContent): readonly (readonly [key: string, value: string])[] {
  if (content.kind === "blocks") return content.blocks.map(({ number, hash }) => [`${number}`, hash]);
  if (content.kind === "answers") return content.answers.map(({ question, answer }) => [question, answer]);
  return [];
}

function mayShare(one: Segment, other: Segment): boolean {
  return one.kind === other.kind && one.from <= other.to && other.from <= one.to;
}

function isWithin({ from, to }: Segment, others: readonly Segment[]): boolean {
  return joinRanges(others).some((range) => range.from <= from && to <= range.to);
}
