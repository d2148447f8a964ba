import { isRecord } from "../../base/text/json-value.js";
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

/** The entry of a range whose rows are not counted: the source does not know what they replace. */
export function uncountedEntry(from: number, to: number): LedgerEntry {
  return { from, to, rows: 0, sum: 0n };
}

/** An entry in JSON, which has no numbers as large as a sum. */
export type LedgerJson = Omit<LedgerEntry, "sum"> & { readonly sum: string };

/** The digits of sums: 10 everywhere but in logs, where they have always been hexadecimal. */
type SumBase = 10 | 16;

const sumDigits = { 10: /^\d{1,39}$/, 16: /^[\da-f]{1,32}$/ } as const;

/** An entry for JSON. */
export function ledgerJson({ from, to, rows, sum }: LedgerEntry, base: SumBase = 10): LedgerJson {
  return { from, to, rows, sum: sum.toString(base) };
}

/** The entry that `ledgerJson` has written; `undefined` for anything else. */
export function readLedgerJson(value: unknown, base: SumBase = 10): LedgerEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { from, to, rows, sum } = value;
  if (!isCount(from) || !isCount(to) || !Number.isSafeInteger(rows)) return undefined;
  if (typeof sum !== "string" || !sumDigits[base].test(sum)) return undefined;
  return { from, to, rows: Number(rows), sum: BigInt(base === 16 ? `0x${sum}` : sum) };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
