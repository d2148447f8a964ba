import { hash } from "node:crypto";
import type { Rows, RowValue } from "./rows.js";

/**
 * The sum of the hashes of rows, modulo 2^128. It does not depend on their order. The hash of a row depends on the value
 * and the type of every column. Ledgers keep it, and the SQL engine computes it as well, so it must not change.
 */
export function sumOfRows(rows: Rows): bigint {
  // A number can hold the sum of the 32-bit words of all rows.
  const sums = [0, 0, 0, 0];
  for (let row = 0; row < rows.count; row += 1) {
    const digest = digestOf(rows, row);
    for (let word = 0; word < sums.length; word += 1) sums[word] = (sums[word] ?? 0) + wordOf(digest, word);
  }
  return BigInt.asUintN(128, numberOf(sums));
}

/** The hash of each row. Equal rows have equal hashes, and others do not. */
export function hashesOfRows(rows: Rows): readonly bigint[] {
  return Array.from({ length: rows.count }, (_, row) => {
    const digest = digestOf(rows, row);
    return numberOf([0, 1, 2, 3].map((word) => wordOf(digest, word)));
  });
}

/**
 * The digest of a row, a character for each byte. MD5 finds rows that were lost or changed by accident, which
 * is what ledgers are for; it is not a signature.
 */
function digestOf({ columns }: Rows, row: number): string {
  let text = "";
  for (const column of columns) text += hashedText(column[row] ?? null);
  return hash("md5", text, "binary");
}

/** 32 bits of a digest, the least significant byte first. */
function wordOf(digest: string, word: number): number {
  let value = 0;
  for (let byte = 3; byte >= 0; byte -= 1) value = value * 256 + digest.charCodeAt(word * 4 + byte);
  return value;
}

/** The number made of words, the least significant first. */
function numberOf(words: readonly number[]): bigint {
  return words.reduceRight((total, word) => (total << 32n) + BigInt(word), 0n);
}

/**
 * The text to hash for a value. Its type comes first, and a text has its length in bytes of UTF-8, so that different
 * rows never have the same text. `sql/row-hash-sql.ts` computes the same in SQL.
 */
function hashedText(value: RowValue): string {
  switch (typeof value) {
    case "string":
      return `s${Buffer.byteLength(value)}:${value}`;
    case "bigint":
      return `i${value};`;
    case "boolean":
      return value ? "t" : "f";
    case "number":
      return `n${bitsOf(value)};`;
    default:
      if (value === null) return "-";
      return `a${value.length}:${value.map((item) => hashedText(item ?? null)).join("")}`;
  }
}

const plain = new DataView(new ArrayBuffer(8));

/** The 64 bits of a number as an integer. Every NaN has the same bits. */
function bitsOf(value: number): bigint {
  plain.setFloat64(0, Number.isNaN(value) ? Number.NaN : value);
  return plain.getBigInt64(0);
}
