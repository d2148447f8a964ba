import type { BlockRange } from "./logs/tails.js";
import { firstSpan, nextSpan, unsettled } from "./stretch.js";

/** A part of a range of blocks, and its number of logs. */
export interface Part extends BlockRange {
  /** Where logs were counted: the whole part, or a piece. */
  readonly counted: BlockRange;
  /** The block of each log that was counted, in order. */
  readonly logs: readonly number[];
  readonly side: Side;
}

/**
 * Blocks are run in one of three ways: blocks whose logs an archive has, blocks near the chain head, which may still
 * be replaced, and all others.
 */
export type Side = "kept" | "near" | "asked";

/** The sides, in no order. */
export const sides: readonly Side[] = ["kept", "near", "asked"];

/** Where to count logs: in a part of a range, or in a piece of that part. */
export interface CountingPlace {
  readonly part: BlockRange;
  readonly counted: BlockRange;
}

/** The properties of a range that determine a run's work. */
export interface WorkTerms {
  /** The chain head. */
  readonly head: number;
  /** The last block with logs in an archive; negative if there is none. */
  readonly reach: number;
  /** Whether the subgraph demands every block, not only those with logs. */
  readonly demandsAll: boolean;
}

/** How much work a range is. */
export interface Work {
  readonly blocks: number;
  readonly logs: number;
  /** Blocks that must be run: blocks with logs, blocks near the chain head, or all of them. */
  readonly demanded: number;
  /** Stretches that a run divides the blocks into. Each one asks for logs, and runs its last block. */
  readonly stretches: number;
}

/** The work of each side. */
export type SplitWork = Readonly<Record<Side, Work>>;

const noWork: Work = { blocks: 0, logs: 0, demanded: 0, stretches: 0 };

/**
 * Where to count logs: everywhere if that takes no more than `most` ranges, else in one range of each of as many
 * parts. The ranges lie at different places in their parts, so that they do not coincide with a rhythm of the chain.
 * @param cuts the last blocks of sides, across which no part extends
 * @param most number of ranges, at least 1
 * @param length blocks of a range, at least 1
 */
export function placesToCount(
  { from, to }: BlockRange,
  cuts: readonly number[],
  most: number,
  length: number,
): readonly CountingPlace[] {
  const size = Math.max(length, Math.ceil((to - from + 1) / most));
  const parts = piecesOf({ from, to }, cuts).flatMap((side) => {
    const own: BlockRange[] = [];
    for (let first = side.from; first <= side.to; first += size)
      own.push({ from: first, to: Math.min(side.to, first + size - 1) });
    return own;
  });
  return parts.map((part, index) => {
    const room = Math.max(0, part.to - part.from + 1 - length);
    const start = part.from + Math.floor(room * ((index * goldenRatio + 0.5) % 1));
    return { part, counted: { from: start, to: Math.min(part.to, start + length - 1) } };
  });
}

/** Its multiples modulo 1 are evenly spread, for any number of them. */
const goldenRatio = 0.618033988749895;

/**
 * The ranges to index as samples. They are the whole range if they would cover it. Otherwise half of them lie where
 * the logs are, the others are spread evenly from the first block to the last. There are fewer where they would
 * overlap.
 * @param parts of the range, in order
 * @param cuts the last blocks of sides, across which no sample extends
 * @param count at least 1
 * @param length blocks of a sample, at least 1
 */
export function samplePlaces(
  parts: readonly Part[],
  cuts: readonly number[],
  count: number,
  length: number,
): readonly BlockRange[] {
  const [from, to] = [parts[0]?.from ?? 0, parts.at(-1)?.to ?? 0];
  const blocks = to - from + 1;
  if (blocks <= count * length) return [{ from, to }];
  const centres = logCentres(parts, Math.ceil(count / 2));
  const spread = count - centres.length;
  const even = Array.from({ length: spread }, (_, index) => {
    const share = spread === 1 ? 0.5 : index / (spread - 1);
    return from + Math.floor((blocks - length) * share);
  });
  const starts = [...even, ...centres.map((block) => block - Math.floor(length / 2))];
  const pieces = piecesOf({ from, to }, cuts);
  const places: BlockRange[] = [];
  for (const start of starts.sort((one, other) => one - other)) {
    const side = pieces.find((one) => start <= one.to) ?? pieces.at(-1);
    if (!side) continue;
    const latest = Math.max(side.from, side.to - length + 1);
    const wanted = Math.max(side.from, Math.min(start, latest));
    const first = Math.max(wanted, (places.at(-1)?.to ?? -1) + 1);
    const last = Math.min(side.to, first + length - 1);
    // A sample that would overlap its neighbour follows it, if not too far away.
    if (first <= last && first - wanted < length) places.push({ from: first, to: last });
  }
  return places;
}

/** The blocks of logs at even distances in the order of all logs. */
function logCentres(parts: readonly Part[], count: number): readonly number[] {
  const weights = parts.map((part) => part.logs.length * scaleOf(part));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return [];
  return Array.from({ length: count }, (_, index) => {
    let rank = ((index + 0.5) / count) * total;
    const at = weights.findIndex((weight) => {
      if (rank < weight) return true;
      rank -= weight;
      return false;
    });
    const logs = parts[at]?.logs ?? [];
    const nth = Math.floor((rank / (weights[at] ?? 1)) * logs.length);
    return logs[Math.min(logs.length - 1, nth)] ?? 0;
  });
}

/** The blocks at which the way of running blocks changes. */
export function cutsOf({ head, reach }: Pick<WorkTerms, "head" | "reach">): readonly number[] {
  return [...new Set([reach, head - unsettled])].filter((cut) => cut >= 0);
}

/** The side of a block. @param isKept whether an archive has its logs */
export function sideOf(block: number, head: number, isKept: boolean): Side {
  if (isKept) return "kept";
  return block > head - unsettled ? "near" : "asked";
}

/** The work of parts, which follow each other. Counts of parts that were counted in pieces are scaled up. */
export function workOf(parts: readonly Part[], terms: WorkTerms): SplitWork {
  const stretches = stretchesOf(parts, terms.reach);
  const of = (side: Side): Work =>
    parts
      .filter((part) => part.side === side)
      .map((part) => workOfPart(part, terms))
      .reduce(addWork, { ...noWork, stretches: stretches[side] });
  return { kept: of("kept"), near: of("near"), asked: of("asked") };
}

/** The sum of two amounts of work. */
export function addWork(one: Work, other: Work): Work {
  return {
    blocks: one.blocks + other.blocks,
    logs: one.logs + other.logs,
    demanded: one.demanded + other.demanded,
    stretches: one.stretches + other.stretches,
  };
}

/** The relative standard error of the number of logs, from how much neighbouring parts differ; 0 when all were counted. */
export function errorOfLogs(parts: readonly Part[]): number {
  const logs = parts.map((part) => part.logs.length * scaleOf(part));
  const total = logs.reduce((sum, number) => sum + number, 0);
  const counted = parts.reduce((sum, part) => sum + lengthOf(part.counted), 0);
  const blocks = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  if (total === 0 || counted >= blocks || parts.length < 2) return 0;
  const differences = logs.slice(1).map((number, index) => (number - (logs[index] ?? 0)) ** 2);
  const squares = differences.reduce((sum, square) => sum + square, 0) / (2 * differences.length);
  return Math.sqrt((1 - counted / blocks) * squares * parts.length) / total;
}

function workOfPart(part: Part, { head, demandsAll }: WorkTerms): Work {
  const blocks = lengthOf(part);
  const scale = scaleOf(part);
  const takesAll = demandsAll || part.from > head - unsettled;
  return {
    blocks,
    logs: part.logs.length * scale,
    demanded: takesAll ? blocks : new Set(part.logs).size * scale,
    stretches: 0,
  };
}

/** Divides parts into stretches as a run does. */
function stretchesOf(parts: readonly Part[], reach: number): Record<Side, number> {
  const found = { kept: 0, near: 0, asked: 0 };
  const to = parts.at(-1)?.to ?? -1;
  let index = 0;
  let span = firstSpan;
  for (let from = parts[0]?.from ?? 0; from <= to; ) {
    while ((parts[index]?.to ?? to) < from) index += 1;
    const end = Math.min(to, from + span - 1, from <= reach ? reach : to);
    found[parts[index]?.side ?? "asked"] += 1;
    let logs = 0;
    for (let at = index; (parts[at]?.from ?? Number.POSITIVE_INFINITY) <= end; at += 1)
      logs += logsWithin(parts[at], from, end);
    span = nextSpan(span, logs);
    from = end + 1;
  }
  return found;
}

/** The number of a part's logs from one block to another. */
function logsWithin(part: Part | undefined, from: number, to: number): number {
  if (!part) return 0;
  if (scaleOf(part) === 1) return before(part.logs, to + 1) - before(part.logs, from);
  const overlap = Math.min(part.to, to) - Math.max(part.from, from) + 1;
  return (part.logs.length / lengthOf(part.counted)) * Math.max(0, overlap);
}

/** How many of some ascending numbers are less than a limit. */
function before(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function scaleOf(part: Part): number {
  return lengthOf(part) / lengthOf(part.counted);
}

function lengthOf({ from, to }: BlockRange): number {
  return to - from + 1;
}

/** A range, divided behind some blocks. */
function piecesOf({ from, to }: BlockRange, cuts: readonly number[]): readonly BlockRange[] {
  const ends = [...cuts.filter((cut) => cut >= from && cut < to), to].sort((one, other) => one - other);
  return ends.map((end, index) => ({ from: index === 0 ? from : (ends[index - 1] ?? 0) + 1, to: end }));
}
