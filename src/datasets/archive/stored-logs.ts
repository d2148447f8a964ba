import type { LogFilter } from "../../runtime/chain/chain.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { type Claim, Coverage } from "./segments/claims.js";
import { type Segment, weightOf } from "./segments/manifest.js";

/** Which logs to look for in the files of an archive. */
export interface StoredQuestion extends BlockRange {
  readonly filter: LogFilter;
  /** How well they must be proved. */
  readonly proof: VerifyMode;
  /** Logs that files may have together; a single one may have more. */
  readonly mostLogs: number;
}

/** The first blocks of a range, for which the files of an archive have all logs, or not surely all. */
export interface StoredStretch {
  /** The last block. */
  readonly to: number;
  /** The files that have all logs; `undefined` if no files do. */
  readonly files: StoredFiles | undefined;
}

/** A Parquet file of logs. It has no log of other blocks than those of its range. */
export interface StoredLogFile extends BlockRange {
  /** Absolute. */
  readonly path: string;
  /** Ranges for which it has all requested logs, in order. */
  readonly whole: readonly BlockRange[];
}

/** Parquet files on this machine, each with a verified checksum. */
export interface StoredFiles {
  /** In the order of their first blocks. They have logs of other blocks and filters, too. */
  readonly logs: readonly StoredLogFile[];
  /** Absolute paths. They may lack some blocks. */
  readonly blocks: readonly string[];
}

/** Bytes of files that are read together. */
const mostBytes = 64 * 1024 * 1024;

/**
 * The segments that may have blocks of a stretch, and its last block. No other segment has a block of the stretch.
 * @param all of logs
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
 * @param to the last block that they are all claims of
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
 * Ranges for which one file has all requested logs.
 * @param claims the claims of the file
 * @param to the last block to consider
 * @returns disjoint ranges in order
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
