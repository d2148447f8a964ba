/** The bits of a quotient that determine its double: its own bits, and two for rounding. */
const decisiveBits = 55;

/**
 * The double that is nearest to a quotient: it is computed exactly, and rounded once.
 * @param divisor above 0
 */
export function ratioToDouble(dividend: bigint, divisor: bigint): number {
  if (dividend < 0n) return -ratioToDouble(-dividend, divisor);
  const missing = decisiveBits - (bitsOf(dividend) - bitsOf(divisor));
  const shift = Math.max(0, missing);
  const scaled = dividend << BigInt(shift);
  // The remainder only decides which way a quotient between two doubles is rounded.
  const quotient = scaled / divisor;
  const sticky = scaled % divisor === 0n ? 0n : 1n;
  return Number(quotient | sticky) / 2 ** shift;
}

function bitsOf(number: bigint): number {
  return number.toString(2).length;
}
