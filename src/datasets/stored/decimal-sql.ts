/** Digits of a group: what eight parts of 32 bits contribute to one fits into 63 bits. */
const groupDigits = 8;
const group = 10n ** BigInt(groupDigits);

/** The names of the columns that `wordColumns` makes, the most significant first. */
const words = ["word_3", "word_2", "word_1", "word_0"] as const;
const [highest, high, low, lowest] = words;

/**
 * Columns with the words of an integer of 256 bits, for `decimalSql`. Shorter bytes are no error, since DuckDB may look at
 * rows before a condition excludes them.
 * @param bytes an expression that is a BLOB whose first 32 bytes are the integer, the most significant one first
 */
export function wordColumns(bytes: string): string {
  return words
    .map(
      (name, index) =>
        `TRY_CAST('0x' || hex(${bytes}[${8 * index + 1}:${8 * index + 8}]) AS UBIGINT) AS ${name}`,
    )
    .join(", ");
}

/**
 * An expression that is the integer in decimal digits. DuckDB has no type of this size that it computes with exactly and
 * fast, so the digits are computed in groups: each part of 32 bits contributes to each group, and carries go on.
 */
export const decimalSql = `CASE WHEN ${highest} = 0 AND ${high} = 0 AND ${low} = 0 THEN ${lowest}::VARCHAR
  WHEN ${highest} = 0 AND ${high} = 0 THEN ${digitsSql([lowest, low])}
  ELSE ${digitsSql([lowest, low, high, highest])} END`;

/** @param from words that may not be zero, the least significant first */
function digitsSql(from: readonly string[]): string {
  const parts = from.flatMap((word) => [`(${word} & 4294967295)::BIGINT`, `(${word} >> 32)::BIGINT`]);
  const groups = Math.ceil(String(2n ** BigInt(32 * parts.length)).length / groupDigits);
  const texts: string[] = [];
  let carry: readonly string[] = [];
  for (let index = 0; index < groups; index += 1) {
    const sum = [...contributions(parts, BigInt(index)), ...carry].join(" + ");
    // A digit in front keeps zeros, and is cut off again.
    texts.unshift(`(((${sum}) % ${group} + ${group})::VARCHAR)[2:]`);
    carry = [`(${sum}) // ${group}`];
  }
  return `ltrim(concat(${texts.join(", ")}), '0')`;
}

/** What parts contribute to a group of digits. */
function contributions(parts: readonly string[], index: bigint): readonly string[] {
  return parts.flatMap((part, place) => {
    const factor = (2n ** BigInt(32 * place) / group ** index) % group;
    return factor === 0n ? [] : [`${part} * ${factor}`];
  });
}
