import { createHash } from "node:crypto";
import type { Delta } from "./delta.js";
import { type Rows, textOfRow } from "./rows.js";

/**
 * What a range of a source has become for a sink. Entries of a source follow each other; one that begins at or before
 * others takes their place.
 */
export interface LedgerEntry {
  /** The first block, or the first change of a feed. */
  readonly from: number;
  readonly to: number;
  /** New rows less those that are gone. */
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
    sum: BigInt.asUintN(128, sumOf(plus) - sumOf(minus)),
  };
}

function sumOf(rows: Rows): bigint {
  const all = rows.columns.map((_, index) => index);
  let sum = 0n;
  for (let row = 0; row < rows.count; row += 1) sum += hashOf(textOfRow(rows, row, all));
  return sum;
}

function hashOf(text: string): bigint {
  const digest = createHash("sha256").update(text).digest();
  return digest.readBigUInt64LE(0) | (digest.readBigUInt64LE(8) << 64n);
}
