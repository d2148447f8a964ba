import { expect, it } from "vitest";
import { ratioToDouble } from "../../src/data/markets/answer-activity.js";
import { drawFrom } from "../support/pool/draw.js";

it.each([
  [0n, 7n, 0],
  [1n, 3n, 1 / 3],
  [-1n, 3n, -1 / 3],
  [123_456_789n, 1_000_000n, 123.456789],
  [2n ** 53n + 1n, 1n, 2 ** 53],
  [2n ** 53n + 3n, 1n, 2 ** 53 + 4],
  // Half way between two doubles, and the least bit beyond it.
  [(2n ** 53n + 1n) * 10n ** 40n, 10n ** 40n, 2 ** 53],
  [(2n ** 53n + 1n) * 10n ** 40n + 1n, 10n ** 40n, 2 ** 53 + 2],
])("the double of %d / %d is %d", (dividend, divisor, double) => {
  expect(ratioToDouble(dividend, divisor)).toBe(double);
});

it("a ratio is the nearest double of any quotient", () => {
  const draw = drawFrom(31);
  for (let round = 0; round < 500; round += 1) {
    const dividend = someInteger(draw.below(200), () => draw.below(2));
    const divisor = someInteger(draw.below(200), () => draw.below(2));
    const double = ratioToDouble(dividend, divisor);
    const error = errorOf(double, dividend, divisor);
    for (const neighbour of [double * (1 + 2 ** -52), double * (1 - 2 ** -53)])
      expect(error <= errorOf(neighbour, dividend, divisor), `${dividend} / ${divisor}`).toBe(true);
  }
});

function someInteger(bits: number, bit: () => number): bigint {
  let digits = "1";
  for (let count = 0; count < bits; count += 1) digits += String(bit());
  return BigInt(`0b${digits}`);
}

/** How far a double is from a quotient, as an integer of a unit that all comparisons share. */
function errorOf(double: number, dividend: bigint, divisor: bigint): bigint {
  // Every double in question is an integer of 2 ** -400.
  const scaled = doubleUnits(double) * divisor - (dividend << 400n);
  return scaled < 0n ? -scaled : scaled;
}

function doubleUnits(double: number): bigint {
  let [value, exponent] = [double, 400];
  while (!Number.isInteger(value)) {
    value *= 2;
    exponent -= 1;
  }
  return BigInt(value) << BigInt(exponent);
}
