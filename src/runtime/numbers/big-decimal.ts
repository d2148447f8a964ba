import type { BigDecimal } from "../../subgraph/schema/entity.js";
import { DeterministicError } from "../errors.js";
import { bitLength } from "./big-int.js";
import { decimalFault, misfit } from "./parse-faults.js";

/** Significant digits of a number. */
const precision = 34;
/** Digits to which a quotient is computed before rounding. */
const divisionDigits = 100;
/** graph-node's estimate of bits per decimal digit, whose imprecision shows in negative numbers. */
const bitsOfDigit = 3.3219280949;
const exponentRange = { least: -6143, greatest: 6144 } as const;

/**
 * Normalizes `digits * 10^exponent` as graph-node does: at most 34 significant digits, no trailing zeros.
 * Positive numbers are rounded half up. Negative numbers are truncated. Their digits are counted by an estimate that
 * can be one too low, so some keep 35 digits.
 */
export function normalized(digits: bigint, exponent: number): BigDecimal {
  if (digits === 0n) return { digits, exponent: 0 };
  let kept = digits;
  let power = exponent;
  const surplus = countedDigits(digits) - precision;
  if (surplus > 0) {
    const unit = 10n ** BigInt(surplus);
    kept = digits / unit;
    if (digits > 0n && (digits % unit) * 2n >= unit) kept += 1n;
    power += surplus;
  }
  const zeros = trailingZeros(kept);
  return zeros === 0
    ? { digits: kept, exponent: power }
    : { digits: kept / 10n ** BigInt(zeros), exponent: power + zeros };
}

function countedDigits(digits: bigint): number {
  return digits > 0n ? digits.toString().length : Math.floor(bitLength(-digits) / bitsOfDigit);
}

function trailingZeros(value: bigint): number {
  if (value % 10n !== 0n) return 0;
  const text = value.toString();
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end--;
  return text.length - end;
}

/**
 * Normalizes a number that a mapping passes to the host.
 * @throws DeterministicError when it is out of range
 */
export function admitted(digits: bigint, exponent: bigint): BigDecimal {
  const value = normalized(digits, Number(exponent));
  if (value.exponent < exponentRange.least || value.exponent > exponentRange.greatest) {
    const range = `\`${exponentRange.least}\` to \`${exponentRange.greatest}\``;
    throw new DeterministicError(`big decimal exponent \`${value.exponent}\` is outside the ${range} range`);
  }
  return value;
}

export function plus(x: BigDecimal, y: BigDecimal): BigDecimal {
  const exponent = Math.min(x.exponent, y.exponent);
  return normalized(scaled(x, exponent) + scaled(y, exponent), exponent);
}

export function minus(x: BigDecimal, y: BigDecimal): BigDecimal {
  const exponent = Math.min(x.exponent, y.exponent);
  return normalized(scaled(x, exponent) - scaled(y, exponent), exponent);
}

function scaled({ digits, exponent }: BigDecimal, to: number): bigint {
  return exponent === to ? digits : digits * 10n ** BigInt(exponent - to);
}

export function times(x: BigDecimal, y: BigDecimal): BigDecimal {
  return normalized(x.digits * y.digits, x.exponent + y.exponent);
}

/**
 * Divides two numbers. It computes the quotient of the magnitudes to 100 digits and normalizes it like every result.
 * Rounding the 100th digit has no effect: no quotient of two 35-digit numbers is that close to the midpoint between two
 * results.
 * @throws DeterministicError when dividing by zero
 */
export function dividedBy(x: BigDecimal, y: BigDecimal): BigDecimal {
  if (y.digits === 0n) {
    throw new DeterministicError(`attempted to divide BigDecimal \`${decimalText(x)}\` by zero`);
  }
  const negative = x.digits < 0n !== y.digits < 0n;
  const divisor = magnitude(y.digits);
  const shift = leadingShift(magnitude(x.digits), divisor);
  const dividend = magnitude(x.digits) * 10n ** BigInt(shift);
  const whole = dividend / divisor;
  const more = Math.max(0, divisionDigits - whole.toString().length);
  const rest = (dividend % divisor) * 10n ** BigInt(more);
  const quotient = whole * 10n ** BigInt(more) + rest / divisor;
  return normalized(negative ? -quotient : quotient, x.exponent - y.exponent - shift - more);
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** The power of ten that scales the dividend until the quotient is at least 1. */
function leadingShift(dividend: bigint, divisor: bigint): number {
  if (dividend === 0n || dividend >= divisor) return 0;
  const places = divisor.toString().length - dividend.toString().length;
  return dividend * 10n ** BigInt(places) >= divisor ? places : places + 1;
}

export function equal(x: BigDecimal, y: BigDecimal): boolean {
  return x.digits === y.digits && x.exponent === y.exponent;
}

/**
 * Parses a decimal such as `-1_000.5e-3`. Underscores may appear anywhere after the first digit. After the point, they
 * count as decimals.
 * @throws DeterministicError for an invalid string
 */
export function parseDecimal(text: string): BigDecimal {
  const fault = decimalFault(text);
  if (fault !== undefined) throw notADecimal(text, fault);
  const mark = text.search(/[eE]/);
  const base = mark === -1 ? text : text.slice(0, mark);
  const power = mark === -1 ? "0" : text.slice(mark + 1);
  const point = base.indexOf(".");
  const trail = point === -1 ? "" : base.slice(point + 1);
  const digits = point === -1 ? base : base.slice(0, point) + trail;
  const exponent = Number(power.replace(/^\+\+/, "+").replace(/^\+-/, "-"));
  if (!Number.isSafeInteger(exponent)) throw notADecimal(text, misfit(exponent < 0));
  return normalized(BigInt(digits.replaceAll("_", "").replace(/^\+/, "")), exponent - trail.length);
}

const notADecimal = (text: string, fault: string): DeterministicError =>
  new DeterministicError(`string is not a BigDecimal: '${text}': ${fault}`);

/** The number in decimal notation, without an exponent. */
export function decimalText({ digits, exponent }: BigDecimal): string {
  if (exponent >= 0) return exponent === 0 ? digits.toString() : `${digits}${"0".repeat(exponent)}`;
  const sign = digits < 0n ? "-" : "";
  const text = magnitude(digits)
    .toString()
    .padStart(1 - exponent, "0");
  return `${sign}${text.slice(0, exponent)}.${text.slice(exponent)}`;
}
