import type { Delta } from "./delta.js";
import { sumOfRows } from "./row-hash.js";

/**
 * The rows that a range of a source has become in a sink. Entries of a source follow each other; a new entry replaces
 * entries that begin at or after its first block.
 */
export interface LedgerEntry {
  /** The first block, or the first change of a feed. */
  readonly from: number;
  readonly to: number;
  /** New rows less deleted rows. */
  readonly rows: number;
  /** The sum of the hashes of new rows minus that of removed rows, modulo 2^128. Order does not matter. */
  readonly sum: bigint;
}

/** The entry of a range. @param delta the sink's change */
export function ledgerEntry(from: number, to: number, { minus, plus }: Delta): LedgerEntry {
  return {
    from,
    to,
    rows: plus.count - minus.count,
    sum: BigInt.asUintN(128, sumOfRows(plus) - sumOfRows(minus)),
  };
}
