import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DeterministicError } from "../../../src/runtime/errors.js";
import {
  decimalText,
  dividedBy,
  minus,
  normalized,
  parseDecimal,
  plus,
  times,
} from "../../../src/runtime/numbers/big-decimal.js";
import {
  bitLength,
  capped,
  parseInteger,
  power,
  signedLength,
} from "../../../src/runtime/numbers/big-int.js";
import type { BigDecimal } from "../../../src/subgraph/schema/entity.js";
import { propertyRun } from "../../support/property/property-run.js";

const read = (text: string): string => decimalText(parseDecimal(text));

describe("parsing a decimal", () => {
  test.each([
    ["0", "0"],
    ["-0.000", "0"],
    ["0e99999999", "0"],
    ["1", "1"],
    ["+1.50", "1.5"],
    ["-1.50", "-1.5"],
    [".5", "0.5"],
    ["-.5", "-0.5"],
    ["5.", "5"],
    ["1e3", "1000"],
    ["1E+3", "1000"],
    ["1e++3", "1000"],
    ["1e+-3", "0.001"],
    ["12.5e-3", "0.0125"],
    ["1_000.5", "1000.5"],
    // An underscore counts as a decimal place.
    ["1._5", "0.15"],
    [".-5", "-0.05"],
    // The 35th digit decides, rounding half up.
    [`${"1".repeat(34)}4`, `${"1".repeat(34)}0`],
    [`${"1".repeat(34)}5`, `${"1".repeat(33)}20`],
    [`0.${"9".repeat(35)}`, "1"],
    [`${"1".repeat(34)}49999`, `${"1".repeat(34)}00000`],
    // A remainder with leading zeros rounds down.
    [`${"1".repeat(34)}09`, `${"1".repeat(34)}00`],
    // Negative numbers are truncated. 9…9 has enough bits for 35 digits; 1…1 is estimated at 34.
    [`-${"9".repeat(35)}`, `-${"9".repeat(34)}0`],
    [`-${"1".repeat(34)}5`, `-${"1".repeat(34)}5`],
    [`-${"1".repeat(34)}59`, `-${"1".repeat(34)}50`],
  ])("reads %s as %s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    "",
    " ",
    "-",
    ".",
    "e5",
    "1e",
    "1e+",
    "1e5e5",
    "1 ",
    "0x1",
    "1..2",
    "_1",
    "1e1.5",
    "--1",
    "+-1",
    "1.+5",
    "1e1_0",
    "NaN",
    "٣",
  ])("rejects %o", (text) => {
    expect(() => parseDecimal(text)).toThrow(DeterministicError);
  });

  test.each([
    ["", "Failed to parse empty string"],
    [".", "cannot parse integer from empty string"],
    ["1e", "cannot parse integer from empty string"],
    ["1.2.3", "invalid digit found in string"],
    ["1e99999999999999999999", "number too large to fit in target type"],
  ])("judges %o as graph-node does", (text, fault) => {
    expect(() => parseDecimal(text)).toThrow(`string is not a BigDecimal: '${text}': ${fault}`);
  });
});

describe("returns the exact quotient", () => {
  const quotient = (x: string, y: string): string => decimalText(dividedBy(parseDecimal(x), parseDecimal(y)));
  test.each([
    ["0", "-7", "0"],
    ["1", "3", `0.${"3".repeat(34)}`],
    ["2", "3", `0.${"6".repeat(33)}7`],
    ["-2", "3", `-0.${"6".repeat(35)}`],
    ["2", "-3", `-0.${"6".repeat(35)}`],
    ["-2", "-3", `0.${"6".repeat(33)}7`],
    ["1", "7", "0.1428571428571428571428571428571429"],
    ["-1", "7", "-0.14285714285714285714285714285714285"],
    // Here the estimate of the length is right.
    ["-99", "100.1", "-0.989010989010989010989010989010989"],
    ["1", "8", "0.125"],
    ["123456", "1e-10", "1234560000000000"],
    ["1", "1e-6000", `1${"0".repeat(6000)}`],
    ["7", "7", "1"],
  ])("of %s and %s", (x, y, expected) => {
    expect(quotient(x, y)).toBe(expected);
  });

  test("throws an error for a division by zero", () => {
    expect(() => quotient("1.5", "0")).toThrow("attempted to divide BigDecimal `1.5` by zero");
  });
});

/** A number as a fraction. */
type Rational = readonly [bigint, bigint];
const rational = ({ digits, exponent }: BigDecimal): Rational =>
  exponent < 0 ? [digits, 10n ** BigInt(-exponent)] : [digits * 10n ** BigInt(exponent), 1n];
const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** Expects the exact result rounded to the kept digits: half up, or toward zero when it is negative. */
function expectCut(result: BigDecimal, [numerator, denominator]: Rational): void {
  const positive = numerator > 0n === denominator > 0n || numerator === 0n;
  const [top, bottom] = [magnitude(numerator), magnitude(denominator)];
  const length = magnitude(result.digits).toString().length;
  expect(length).toBeLessThanOrEqual(positive ? 34 : 35);
  expect(result.digits === 0n || result.digits % 10n !== 0n).toBe(true);
  const [above, below] = rational({ digits: magnitude(result.digits), exponent: result.exponent });
  // |result - exact| as a fraction, and half a unit of the 34th digit.
  const difference = magnitude(above * bottom - top * below);
  const whole = below * bottom;
  if (difference === 0n) return;
  const leading = top === 0n ? 0 : decimalPlaces([top, bottom]);
  const unit = rational({ digits: 1n, exponent: leading - 34 });
  if (positive) {
    expect(difference * 2n * unit[1] <= unit[0] * whole).toBe(true);
    if (difference * 2n * unit[1] === unit[0] * whole) expect(above * bottom > top * below).toBe(true);
  } else {
    expect(above * bottom < top * below).toBe(true);
    expect(difference * unit[1] < unit[0] * whole).toBe(true);
  }
}

/** The power of ten just above a positive fraction. */
function decimalPlaces([top, bottom]: Rational): number {
  let places = top.toString().length - bottom.toString().length;
  const reaches = (power: number): boolean =>
    power >= 0 ? top >= bottom * 10n ** BigInt(power) : top * 10n ** BigInt(-power) >= bottom;
  while (reaches(places)) places += 1;
  return places;
}

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 36n), max: 10n ** 36n }), fc.integer({ min: -60, max: 60 }))
  .map(([digits, exponent]) => normalized(digits, exponent));

describe("decimal arithmetic is exact except for rounding", () => {
  test("in normalisation", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 50n), max: 10n ** 50n }),
        fc.integer({ min: -60, max: 60 }),
        (digits, exponent) => {
          expectCut(normalized(digits, exponent), rational({ digits, exponent }));
        },
      ),
      propertyRun(1000),
    );
  });

  test.each([
    ["plus", plus, ([a, b]: Rational, [c, d]: Rational): Rational => [a * d + c * b, b * d]],
    ["minus", minus, ([a, b]: Rational, [c, d]: Rational): Rational => [a * d - c * b, b * d]],
    ["times", times, ([a, b]: Rational, [c, d]: Rational): Rational => [a * c, b * d]],
  ] as const)("in %s", (_, operation, exact) => {
    fc.assert(
      fc.property(decimals, decimals, (x, y) => expectCut(operation(x, y), exact(rational(x), rational(y)))),
      propertyRun(1000),
    );
  });

  test("in division", () => {
    const divisors = decimals.filter(({ digits }) => digits !== 0n);
    fc.assert(
      fc.property(decimals, divisors, (x, y) => {
        const [[a, b], [c, d]] = [rational(x), rational(y)];
        expectCut(dividedBy(x, y), [a * d, b * c]);
      }),
      propertyRun(1000),
    );
  });

  test("rounds a rounded number no further", () => {
    fc.assert(
      fc.property(decimals, (x) => {
        expect(normalized(x.digits, x.exponent)).toEqual(x);
        // Trailing zeros of a long negative number change the estimate of its length.
        if (x.digits > 0n || x.exponent <= 0) expect(parseDecimal(decimalText(x))).toEqual(x);
      }),
      propertyRun(1000),
    );
  });
});

describe("integers", () => {
  test("are limited to 435,412 bits including the sign", () => {
    const largest = 2n ** 435_411n - 1n;
    expect(capped(largest)).toBe(largest);
    expect(capped(-largest)).toBe(-largest);
    expect(() => capped(largest + 1n)).toThrow("BigInt is too big, total bits 435413 (max 435412)");
    expect(() => power(2n ** 2000n, 255n)).toThrow("too big");
    expect(() => power(2n ** 1707n, 255n)).not.toThrow();
    expect(() => parseInteger("9".repeat(140_000))).toThrow("too big");
  });

  test.each([
    ["zz", "invalid digit found in string"],
    ["-", "cannot parse integer from empty string"],
  ])("are not %o, in the words of graph-node", (text, fault) => {
    expect(() => parseInteger(text)).toThrow(`string is not a BigInt: \`${text}\`: ${fault}`);
  });

  test("report their length in bits and in signed bytes", () => {
    for (const value of [0n, 1n, 127n, 128n, 32767n, 32768n, 2n ** 255n]) {
      expect(bitLength(value)).toBe(value === 0n ? 0 : value.toString(2).length);
      for (const signed of [value, -value, ~value]) {
        const bytes = signedLength(signed);
        expect(BigInt.asIntN(bytes * 8, signed)).toBe(signed);
        expect(bytes === 1 || BigInt.asIntN(bytes * 8 - 8, signed) !== signed).toBe(true);
      }
    }
  });
});
