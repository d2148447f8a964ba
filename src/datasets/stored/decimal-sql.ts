/** The names of the columns that `integerColumns` makes: an integer below 2^127, or the words of another one. */
const [small, ...words] = ["integer", "word_3", "word_2", "word_1", "word_0"] as const;
const [highest, high, low, lowest] = words;
/** The first bytes of 2^127. */
const limit = `'${"\\x00".repeat(16)}\\x80'::BLOB`;

/**
 * Columns with an integer of 256 bits, for `decimalSql`. Shorter bytes are no error, since DuckDB may look at rows before a
 * condition excludes them.
 * @param bytes an expression that is a BLOB whose first 32 bytes are the integer, the most significant one first
 */
export function integerColumns(bytes: string): string {
  // No bytes are no bits.
  const number = (from: number, to: number, type: string): string =>
    `TRY_CAST(nullif(${bytes}[${from}:${to}], ''::BLOB)::BIT AS ${type})`;
  const column = (condition: string, value: string, name: string): string =>
    `CASE WHEN ${bytes} ${condition} ${limit} THEN ${value} END AS ${name}`;
  return [
    column("<", number(17, 32, "HUGEINT"), small),
    ...words.map((name, index) => column(">=", number(8 * index + 1, 8 * index + 8, "UBIGINT"), name)),
  ].join(", ");
}

/** What the parts contribute to a group of so many digits fits into 64 bits. */
const groupDigits = 8;

const half = (word: string): readonly string[] => [`(${word} & 4294967295)`, `(${word} >> 32)`];

/**
 * An expression that is the integer in decimal digits. DuckDB has no larger type that it computes with exactly and fast, so
 * the digits of larger ones are computed in groups: each part of 32 bits contributes to each group, and carries go on.
 */
export const decimalSql = `CASE WHEN ${small} IS NOT NULL THEN ${small}::VARCHAR
  ELSE ${digitsSql([lowest, low, high, highest].flatMap(half))} END`;

/** @param parts integers of 32 bits, the least significant first */
function digitsSql(parts: readonly string[]): string {
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
