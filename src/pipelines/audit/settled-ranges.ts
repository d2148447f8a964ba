import { joined } from "../changes/kept-ledger.js";
import type { LedgerEntry } from "../changes/ledger.js";
import type { BlockRange, SourceState } from "../sinks/audit.js";
import { settledBefore } from "../state/sink-batch.js";

/** A range that cannot be undone anymore, with its ledger entry. */
export interface SettledRange extends BlockRange {
  /** `undefined` if the ledger does not have it. */
  readonly entry: LedgerEntry | undefined;
}

/**
 * The settled ranges of a source after the ones already seen. An entry that has grown by merging counts with its new
 * part.
 * @param seen in order, without gaps
 */
export function settledRanges(
  { position, ledger }: SourceState,
  seen: readonly SettledRange[],
): readonly SettledRange[] {
  const settled = settledBefore(position);
  const ranges: SettledRange[] = [];
  let next = seen.at(-1) === undefined ? (ledger[0]?.from ?? settled) : (seen.at(-1)?.to ?? 0) + 1;
  for (const kept of ledger) {
    if (kept.to < next || kept.to >= settled) continue;
    if (kept.from > next) ranges.push({ from: next, to: kept.from - 1, entry: undefined });
    const entry = "sum" in kept ? without(kept, seen, next) : undefined;
    ranges.push({ from: Math.max(next, kept.from), to: kept.to, entry });
    next = kept.to + 1;
  }
  if (next < settled) ranges.push({ from: next, to: settled - 1, entry: undefined });
  return ranges;
}

/**
 * The rest of an entry from `next` on, without its part that was seen; `undefined` if it does not consist of
 * the seen part and more.
 */
function without(entry: LedgerEntry, seen: readonly SettledRange[], next: number): LedgerEntry | undefined {
  if (entry.from >= next) return entry;
  const parts = seen.filter(({ from }) => from >= entry.from).map((range) => range.entry);
  const [first, ...others] = parts.filter((part) => part !== undefined);
  if (first?.from !== entry.from || others.length + 1 < parts.length) return undefined;
  const before = others.reduce(joined, first);
  return {
    from: next,
    to: entry.to,
    rows: entry.rows - before.rows,
    sum: BigInt.asUintN(128, entry.sum - before.sum),
  };
}
