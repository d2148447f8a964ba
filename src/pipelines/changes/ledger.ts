import type { Delta } from "./delta.js";
import { sumOfRows } from "./row-hash.js";

/**
 * What a range of a source has become for a sink. Entries of a source follow each other; one that begins at or before
 * others takes their place.
 */
export interface LedgerEntry {
  /** The first block, or the first change of a feed. */
  readonly from: number;
  readonly to: number;
  /** New rows less deleted rows. */
  readonly rows: number;
  /** The sum of the hashes of new rows less that of rows that are gone, modulo 2^128. Order does not matter. */
  readonly sum: bigint;
}

/** The entry of a range. @param delta what it changes for the sink */
export function ledgerEntry(from: number, to: number, { minus, plus }: Delta): LedgerEntry {
  return {
    from,
    to,
    rows: plus.count - minus.count,
    sum: BigInt.asUintN(128, sumOfRows(plus) - sumOfRows(minus)),
  };
}
