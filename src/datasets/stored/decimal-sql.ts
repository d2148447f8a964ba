/** The names of the columns that `wordColumns` makes, the most significant first. */
const words = ["word_3", "word_2", "word_1", "word_0"] as const;
const [highest, high, low, lowest] = words;
const zeros = `'${"\\x00".repeat(16)}'::BLOB`;

/**
 * Columns with the words of an integer of 256 bits, for `decimalSql`. Shorter bytes are no error, since DuckDB may look at
 * rows before a condition excludes them.
 * @param bytes an expression that is a BLOB whose first 32 bytes are the integer, the most significant one first
 */
export function wordColumns(bytes: string): string {
  // No bytes are no bits.
  const word = (index: number): string =>
    `TRY_CAST(nullif(${bytes}[${8 * index + 1}:${8 * index + 8}], ''::BLOB)::BIT AS UBIGINT)`;
  return words
    .map((name, index) => {
      // Few integers are larger than 128 bits.
      const value =
        index < 2
          ? `CASE WHEN ${bytes}[1:16] = ${zeros} THEN 0::UBIGINT ELSE ${word(index)} END`
          : word(index);
      return `${value} AS ${name}`;
    })
    .join(", ");
}

const half = (word: string): readonly string[] => [`(${word} & 4294967295)`, `(${word} >> 32)`];

/**
 * An expression that is the integer in decimal digits. DuckDB has no type of this size that it computes with exactly and
 * fast, so the digits are computed in groups: each part of 32 bits contributes to each group, and carries go on. Amounts of
 * tokens seldom need more than 96 bits.
 */
export const decimalSql = `CASE WHEN ${highest} = 0 AND ${high} = 0 AND ${low} = 0 THEN ${lowest}::VARCHAR
  WHEN ${highest} = 0 AND ${high} = 0 AND ${low} < 4294967296 THEN ${digitsSql([...half(lowest), low], 9)}
  WHEN ${highest} = 0 AND ${high} = 0 THEN ${digitsSql([lowest, low].flatMap(half), 8)}
  ELSE ${digitsSql([lowest, low, high, highest].flatMap(half), 8)} END`;

/**
 * @param parts integers of 32 bits, the least significant first
 * @param groupDigits digits of a group: what the parts contribute to one fits into 64 bits
 */
function digitsSql(parts: readonly string[], groupDigits: number): string {
  const group = 10n ** BigInt(groupDigits);
  const number = (value: bigint): string => `${value}::UBIGINT`;
  const groups = Math.ceil(String(2n ** BigInt(32 * parts.length)).length / groupDigits);
  const texts: string[] = [];
  let carry: readonly string[] = [];
  for (let index = 0; index < groups; index += 1) {
    const given = parts.flatMap((part, place) => {
      const factor = (2n ** BigInt(32 * place) / group ** BigInt(index)) % group;
      return factor === 0n ? [] : [`${part} * ${number(factor)}`];
    });
    const sum = [...given, ...carry].join(" + ");
    // A digit in front keeps zeros, and is cut off again.
    texts.unshift(`(((${sum}) % ${number(group)} + ${number(group)})::VARCHAR)[2:]`);
    carry = [`(${sum}) // ${number(group)}`];
  }
  return `ltrim(concat(${texts.join(", ")}), '0')`;
}
