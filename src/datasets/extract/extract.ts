import { ReorgError } from "../../runtime/chain/chain.js";
import type { Verification } from "../../runtime/indexer/logs/verification.js";
import type { Extraction, ExtractionSource, RowBatch } from "./extraction.js";
import { Pace } from "./pace.js";
import { type ReadRange, rowsOfRange } from "./rows-of-range.js";

const defaultParallel = 4;

/** A range that is being read; it may end before `to`. */
interface Reading {
  readonly to: number;
  readonly range: Promise<ReadRange>;
}

/**
 * Extracts a dataset range by range, in order. Ranges are fetched in parallel. They are shorter where blocks are
 * large, so that memory is bounded, apart from a single block.
 * @throws ReorgError if the chain replaces blocks while they are read; ChainError if the node does not answer;
 *   NotInRangeError for a value that its column cannot hold
 */
export async function* extract(
  source: ExtractionSource,
  extraction: Extraction,
  newest: number,
): AsyncGenerator<RowBatch, void, void> {
  const { span, parallel = defaultParallel, from: first, to: last, pace = new Pace() } = extraction;
  const running: Reading[] = [];
  let next = first;
  const start = (from: number, to: number): Reading => {
    const range = rowsOfRange(source, { ...extraction, from, to, newest }, pace);
    // Awaited below; until then, a failure must not count as unhandled.
    range.catch(() => undefined);
    return { to, range };
  };
  let before: ReadRange | undefined;
  while (next <= last || running.length > 0) {
    while (next <= last && running.length < (pace.isKnown ? parallel : 1)) {
      const to = Math.min(last, next + Math.min(span ?? pace.span, pace.span) - 1);
      running.push(start(next, to));
      next = to + 1;
    }
    const reading = running.shift();
    if (!reading) return;
    const range = await reading.range;
    checkFollows(range, before, source.verification);
    // A range without blocks, such as null rounds of Filecoin, may lie between two consecutive ones.
    if (range.ends || !before?.ends) before = range;
    if (range.to < reading.to) running.unshift(start(range.to + 1, reading.to));
    yield { from: range.from, to: range.to, rows: range.rows, proofs: range.proofs };
  }
}

/** @throws ReorgError if a range does not follow the previous one */
function checkFollows(
  { from, ends }: ReadRange,
  before: ReadRange | undefined,
  verification: Verification,
): void {
  if (!ends || !before?.ends || ends.first.parentHash === before.ends.last.hash) return;
  if (verification.bearsGap(before.ends.last, ends.first)) return;
  throw new ReorgError(`block ${from} does not follow the block before it`);
}
