import type { BlockRange } from "../../../runtime/indexer/logs/tails.js";
import type { KeptChain } from "../kept-chains.js";
import type { Segment, SegmentKind } from "../segments/manifest.js";

/** A chain's segments of one kind, according to the manifest. */
export interface KindSurvey {
  readonly segments: number;
  /** Blocks, logs or answers; a row in two segments counts twice. */
  readonly rows: number;
  readonly bytes: number;
  /** The ranges of the segments, neighbours joined, in order. */
  readonly ranges: readonly BlockRange[];
}

/** The contents of an archive for a chain. Sizes are in bytes. */
export interface ChainSurvey {
  readonly bytes: number;
  readonly segments: number;
  readonly ranges: readonly BlockRange[];
  readonly kinds: Readonly<Record<SegmentKind, KindSurvey>>;
}

/** Summarizes a chain's manifest without reading segments. */
export function surveyChain({ manifest: { segments } }: KeptChain): ChainSurvey {
  const of = (kind: SegmentKind): KindSurvey => surveyOf(segments.filter((segment) => segment.kind === kind));
  const { rows: _, segments: total, ...all } = surveyOf(segments);
  return {
    ...all,
    segments: total,
    kinds: { blocks: of("blocks"), logs: of("logs"), answers: of("answers") },
  };
}

/** The size of segments' files. A shared file counts once. */
export function bytesOf(segments: readonly Segment[]): number {
  const sizes = new Map(
    segments.flatMap(({ files }) => files.map(({ path, bytes }) => [path, bytes] as const)),
  );
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Joins ranges that overlap or are adjacent; returns them in order. */
export function joinRanges(ranges: readonly BlockRange[]): readonly BlockRange[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...ranges].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

function surveyOf(segments: readonly Segment[]): KindSurvey {
  return {
    segments: segments.length,
    rows: segments.reduce((sum, { rows }) => sum + rows, 0),
    bytes: bytesOf(segments),
    ranges: joinRanges(segments),
  };
}
