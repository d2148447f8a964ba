import type { LedgerEntry } from "./ledger.js";

/** Entries of final ranges are merged up to this many rows, and this many blocks or changes. */
const most = { rows: 50_000, length: 100_000 };

/** The changes of a saved ledger. */
export interface LedgerUpdate {
  /** The first blocks of dropped entries. */
  readonly drop: readonly number[];
  /** Entries that are added, or replace an entry with the same first block. */
  readonly put: readonly LedgerEntry[];
  /** The current end of the ledger, which later updates can change. */
  readonly tail: readonly LedgerEntry[];
}

/** A range that was written, or undone. */
export interface WrittenRange {
  readonly from: number;
  /** `undefined` for a range that is undone. */
  readonly entry: LedgerEntry | undefined;
  /** The first block that may still be undone. */
  readonly settled: number;
}

/**
 * Adds an entry to a ledger in place of the entries from `from` on. Neighbours that cannot be undone any more are
 * merged, so that a ledger of a chain's head does not keep an entry for each block forever.
 * @param tail the end of the ledger from the previous update, or the whole ledger
 */
export function updateLedger(
  tail: readonly LedgerEntry[],
  { from, entry, settled }: WrittenRange,
): LedgerUpdate {
  const entries: LedgerEntry[] = [];
  for (const one of [...tail.filter((kept) => kept.from < from), ...(entry ? [entry] : [])]) {
    const before = entries.at(-1);
    if (before && one.to < settled && fits(before, one)) entries[entries.length - 1] = joined(before, one);
    else entries.push(one);
  }
  const starts = new Set(entries.map((one) => one.from));
  const had = new Set(tail);
  return {
    drop: tail.filter((kept) => !starts.has(kept.from)).map((kept) => kept.from),
    put: entries.filter((one) => !had.has(one)),
    tail: entries.slice(
      Math.max(
        0,
        entries.findLastIndex(({ to }) => to < settled),
      ),
    ),
  };
}

/** A whole ledger after an update, in order. */
export function changedLedger(entries: readonly LedgerEntry[], range: WrittenRange): LedgerEntry[] {
  const { drop, put } = updateLedger(entries, range);
  const gone = new Set([...drop, ...put.map(({ from }) => from)]);
  const kept = entries.filter(({ from }) => !gone.has(from));
  return [...kept, ...put].sort((one, other) => one.from - other.from);
}

function fits(before: LedgerEntry, { from, to, rows }: LedgerEntry): boolean {
  return (
    before.to + 1 === from &&
    to - before.from < most.length &&
    Math.abs(before.rows) + Math.abs(rows) <= most.rows
  );
}

/** The entry of two adjacent ranges. */
export function joined(one: LedgerEntry, other: LedgerEntry): LedgerEntry {
  return {
    from: one.from,
    to: other.to,
    rows: one.rows + other.rows,
    sum: BigInt.asUintN(128, one.sum + other.sum),
  };
}
