import { DeterministicError } from "../errors.js";
import { bigIntFault } from "./parse-faults.js";

/** graph-node's limit in bits, including the sign. */
const greatestBits = 435_412;

/** The number of bits of the absolute value. */
export function bitLength(value: bigint): number {
  const text = (value < 0n ? -value : value).toString(16);
  return text === "0" ? 0 : text.length * 4 - (Math.clz32(Number.parseInt(text.charAt(0), 16)) - 28);
}

/** @throws DeterministicError when the number exceeds graph-node's limit */
export function capped(value: bigint): bigint {
  // A fast path: almost every number is small.
  if (BigInt.asIntN(512, value) === value) return value;
  const bits = bitLength(value) + 1;
  if (bits > greatestBits) throw tooBig(bits);
  return value;
}

function tooBig(bits: number): DeterministicError {
  return new DeterministicError(`BigInt is too big, total bits ${bits} (max ${greatestBits})`);
}

/** @throws DeterministicError when dividing by zero */
export function divided(x: bigint, y: bigint): bigint {
  if (y === 0n) throw new DeterministicError(`attempted to divide BigInt \`${x}\` by zero`);
  return x / y;
}

/** The remainder has the sign of the dividend. */
export function remainder(x: bigint, y: bigint): bigint {
  if (y === 0n) {
    throw new DeterministicError(`attempted to calculate the remainder of \`${x}\` with a divisor of zero`);
  }
  return x % y;
}

/** @throws DeterministicError when the result is too large; detected before the computation if possible */
export function power(x: bigint, exponent: bigint): bigint {
  const leastBits = Math.max(0, bitLength(x) - 1) * Number(exponent) + 2;
  if (leastBits > greatestBits) throw tooBig(leastBits);
  return capped(x ** exponent);
}

/**
 * Parses decimal digits with an optional sign. Underscores may appear after the first digit.
 * @throws DeterministicError for an invalid string
 */
export function parseInteger(
  text: string,
  complaint: (text: string, fault: string) => string = notAnInteger,
): bigint {
  const fault = bigIntFault(text);
  if (fault !== undefined) throw new DeterministicError(complaint(text, fault));
  return capped(BigInt(text.replaceAll("_", "").replace(/^\+/, "")));
}

const notAnInteger = (text: string, fault: string): string => `string is not a BigInt: \`${text}\`: ${fault}`;

/** `0x` and the absolute value without leading zeros. The sign is lost. */
export function hexOfInteger(value: bigint): string {
  return `0x${(value < 0n ? -value : value).toString(16)}`;
}

/** The number of bytes of the shortest two's complement representation. */
export function signedLength(value: bigint): number {
  return Math.floor(bitLength(value < 0n ? ~value : value) / 8) + 1;
}
