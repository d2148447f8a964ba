import type { LogFilter } from "../../runtime/chain/chain.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { type Claim, Coverage } from "./segments/claims.js";
import { type Segment, weightOf } from "./segments/manifest.js";

/** The logs to look for in an archive's files. */
export interface StoredQuestion extends BlockRange {
  readonly filter: LogFilter;
  /** How well they must be proved. */
  readonly proof: VerifyMode;
  /** Maximum number of logs in all files together; a single file may exceed it. */
  readonly mostLogs: number;
}

/** The first blocks of a range: either the archive's files have all of their logs, or it is uncertain. */
export interface StoredStretch {
  readonly to: number;
  /** The files with all logs; `undefined` if it is uncertain that they have them all. */
  readonly files: StoredFiles | undefined;
}

/** A Parquet file of logs. It has only logs from its range. */
export interface StoredLogFile extends BlockRange {
  readonly path: string;
  /** Ranges for which it has all requested logs, in order. */
  readonly whole: readonly BlockRange[];
}

/** Parquet files on the local disk, each with a verified checksum. */
export interface StoredFiles {
  /** In order of their first blocks. They also contain logs of other blocks and filters. */
  readonly logs: readonly StoredLogFile[];
  /** Absolute paths. They may lack some blocks. */
  readonly blocks: readonly string[];
}

/** Maximum bytes of files to read together. */
const mostBytes = 64 * 1024 * 1024;

/**
 * All segments that may have blocks of a stretch, and its last block.
 * @param all log segments
 */
export function nearSegments(
  all: readonly Segment[],
  { from, to, mostLogs }: StoredQuestion,
): { readonly near: readonly Segment[]; readonly to: number } {
  const near: Segment[] = [];
  let logs = 0;
  let bytes = 0;
  const inOrder = all
    .filter((segment) => segment.from <= to && segment.to >= from)
    .sort((one, other) => one.from - other.from || one.to - other.to);
  for (const segment of inOrder) {
    logs += segment.rows;
    bytes += weightOf(segment);
    if (near.length > 0 && segment.from > from && (logs > mostLogs || bytes > mostBytes))
      return { near, to: segment.from - 1 };
    near.push(segment);
  }
  return { near, to };
}

/**
 * How far claims reach together.
 * @param to the last block covered by all claims
 * @returns whether the stretch is claimed, and its last block
 */
export function claimedStretch(
  claims: readonly (readonly Claim[])[],
  { from, filter, proof }: StoredQuestion,
  to: number,
): { readonly isClaimed: boolean; readonly to: number } {
  const coverage = new Coverage();
  for (const list of claims) coverage.add(list);
  const reach = coverage.reach({ from, to }, filter, proof);
  if (reach >= from) return { isClaimed: true, to: reach };
  const next = coverage.starts.find(
    (start) => start > from && start <= to && coverage.reach({ from: start, to }, filter, proof) >= start,
  );
  return { isClaimed: false, to: next === undefined ? to : next - 1 };
}

/**
 * Ranges for which a single file has all requested logs.
 * @param claims the file's claims
 * @param to the last block to consider
 * @returns disjoint ranges, in order
 */
export function wholeRanges(
  claims: readonly Claim[],
  { from, filter, proof }: StoredQuestion,
  to: number,
): readonly BlockRange[] {
  const coverage = new Coverage();
  coverage.add(claims);
  const ranges: BlockRange[] = [];
  for (const start of [from, ...coverage.starts]) {
    if (start < from || start > to || start <= (ranges.at(-1)?.to ?? -1)) continue;
    const reach = coverage.reach({ from: start, to }, filter, proof);
    if (reach >= start) ranges.push({ from: start, to: reach });
  }
  return ranges;
}
