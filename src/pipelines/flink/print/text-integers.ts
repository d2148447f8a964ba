/**
 * Prints comparisons of integers that Flink has as text: decimal digits without leading zeros, after a minus sign if the
 * integer is negative.
 */

/** More digits than an integer has: sums of integers of 256 bits have some more than these. */
const width = 104;

/** The integers that are not negative, as texts that compare like numbers; null for others. */
function padded(integer: string): string {
  return `LPAD(${integer}, ${width}, '0')`;
}

function withoutSign(integer: string): string {
  return `SUBSTRING(${integer}, 2)`;
}

function isNegative(integer: string): string {
  return `(${integer} LIKE '-%')`;
}

/** Whether an integer is less than another; null if either is null. */
export function isLess(one: string, other: string): string {
  const [oneNegative, otherNegative] = [isNegative(one), isNegative(other)];
  const both = [
    `${oneNegative} AND NOT ${otherNegative}`,
    `NOT ${oneNegative} AND NOT ${otherNegative} AND ${padded(one)} < ${padded(other)}`,
    `${oneNegative} AND ${otherNegative} AND ${padded(withoutSign(one))} > ${padded(withoutSign(other))}`,
  ];
  return `(${both.map((part) => `(${part})`).join(" OR ")})`;
}

/** The least or the greatest integer of a group. @param where the condition of the rows; all rows if it is empty */
export function extreme(kind: "MIN" | "MAX", integer: string, where: string): string {
  const other = kind === "MIN" ? "MAX" : "MIN";
  const condition = where === "" ? "" : ` AND ${where}`;
  const positive = digits(
    `${kind}(CASE WHEN NOT ${isNegative(integer)}${condition} THEN ${padded(integer)} END)`,
  );
  const negative = digits(
    `${other}(CASE WHEN ${isNegative(integer)}${condition} THEN ${padded(withoutSign(integer))} END)`,
  );
  const parts = [positive, `('-' || ${negative})`];
  return `COALESCE(${(kind === "MIN" ? parts.toReversed() : parts).join(", ")})`;
}

/** The integer of a text with leading zeros. */
function digits(text: string): string {
  return `REGEXP_REPLACE(${text}, '^0+(?=[0-9])', '')`;
}

/**
 * An integer as the sum of its limbs, each times a power of 10^26. A limb is a number for Flink and may be negative, so
 * that limbs of several integers can be added: 10^11 of them fit into its 38 digits.
 */
export type Limbs = readonly string[];

const limbDigits = 26;
const limbCount = width / limbDigits;
const carryDigits = 12;
const wide = "DECIMAL(38, 0)";

/** The limbs of an integer, the least first. */
export function limbsOf(integer: string): Limbs {
  const sign = `CASE WHEN ${isNegative(integer)} THEN '-' ELSE '' END`;
  const all = padded(`REPLACE(${integer}, '-', '')`);
  return Array.from({ length: limbCount }, (_, index) => {
    const start = width - limbDigits * (index + 1) + 1;
    return `CAST((${sign} || SUBSTRING(${all}, ${start}, ${limbDigits})) AS ${wide})`;
  });
}

/** The integer of limbs. */
export function integerOf(limbs: Limbs): string {
  const sum = carried(limbs);
  const negated = carried(limbs.map((limb) => `(-${limb})`));
  return `CASE WHEN ${sum} < '5' THEN ${digits(sum)} ELSE ('-' || ${digits(negated)}) END`;
}

/** The digits of limbs modulo 10^104, so that those of a negative integer begin with 5 or more. */
function carried(limbs: Limbs): string {
  const parts: string[] = [];
  let carry = "";
  for (const limb of limbs) {
    // Makes all limbs positive. Together, these numbers are a multiple of 10^104.
    const shift = 10n ** 37n - (carry === "" ? 0n : 10n ** 11n);
    const shifted = `${limb} + CAST('${shift}' AS ${wide})${carry}`;
    const text = `LPAD(CAST((${shifted}) AS STRING), ${limbDigits + carryDigits}, '0')`;
    carry = ` + CAST(SUBSTRING(${text}, 1, ${carryDigits}) AS ${wide})`;
    parts.unshift(`SUBSTRING(${text}, ${carryDigits + 1})`);
  }
  return `(${parts.join(" || ")})`;
}

/** The negative of an integer. */
export function negative(integer: string): string {
  return `CASE WHEN ${integer} = '0' THEN '0' WHEN ${isNegative(integer)} THEN ${withoutSign(integer)} ELSE ('-' || ${integer}) END`;
}

/** An integer without its sign. */
export function absolute(integer: string): string {
  return `REPLACE(${integer}, '-', '')`;
}
