import { beforeAll, describe, expect, test } from "vitest";
import { DeterministicError } from "../../../src/runtime/errors.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import { answer, compileProbe, int, text, uint } from "./probe.js";

let mapping: Mapping;
beforeAll(async () => {
  mapping = await compileProbe();
});

const calculated = (operation: string, x: bigint, y: bigint): string | undefined =>
  answer(mapping, "integers", text(operation), int(x), int(y));

/** Numbers around every border of the encodings. */
const borders = [
  0n,
  1n,
  256n,
  2n ** 64n,
  2n ** 254n,
  // The greatest numbers of each length in bytes, up to some that are longer than 256 bits.
  ...Array.from({ length: 34 }, (_, bytes) => 2n ** BigInt(8 * bytes + 7)),
];
const numbers = borders.flatMap((border) => [border, border - 1n, -border, -border - 1n]);

test("integers cross into a mapping and back in the shortest form", () => {
  for (const number of numbers) {
    expect(calculated("plus", number, 0n)).toBe(String(number));
    const written = Buffer.from(calculated("bytes", number, 0n)?.slice(2) ?? "", "hex")
      .reverse()
      .toString("hex");
    const bits = written.length * 4;
    expect(BigInt.asIntN(bits, BigInt(`0x${written}`))).toBe(number);
    expect(bits === 8 || BigInt.asIntN(bits - 8, number) !== number).toBe(true);
  }
  expect(answer(mapping, "integers", text("plus"), uint(2n ** 256n - 1n), int(0))).toBe(
    String(2n ** 256n - 1n),
  );
});

test("integer arithmetic agrees with BigInt", () => {
  for (const x of numbers) {
    for (const y of [1n, -1n, 3n, -7n, 2n ** 65n, -(2n ** 100n)]) {
      expect(calculated("plus", x, y)).toBe(String(x + y));
      expect(calculated("minus", x, y)).toBe(String(x - y));
      expect(calculated("times", x, y)).toBe(String(x * y));
      expect(calculated("div", x, y)).toBe(String(x / y));
      expect(calculated("mod", x, y)).toBe(String(x % y));
      expect(calculated("or", x, y)).toBe(String(x | y));
      expect(calculated("and", x, y)).toBe(String(x & y));
    }
    for (const bits of [0n, 1n, 8n, 255n]) {
      expect(calculated("shl", x, bits)).toBe(String(x << bits));
      expect(calculated("shr", x, bits)).toBe(String(x >> bits));
    }
    expect(calculated("hex", x, 0n)).toBe(`0x${(x < 0n ? -x : x).toString(16)}`);
  }
  expect(calculated("shr", -7n, 1n)).toBe("-4");
  expect(calculated("compare", -129n, -128n)).toBe("-1");
});

test("powers are limited as in graph-node", () => {
  expect(calculated("pow", -3n, 5n)).toBe("-243");
  expect(calculated("pow", 0n, 0n)).toBe("1");
  expect(calculated("pow", 1n, 255n)).toBe("1");
  expect(calculated("pow", 2n ** 200n, 255n)).toBe(String(2n ** 51_000n));
  expect(() => calculated("pow", 2n ** 254n, 255n)).not.toThrow();
});

test("a number that is too large cannot be used", () => {
  const large = 2n ** 300_000n;
  expect(calculated("minus", large, 1n)).toBe(String(large - 1n));
  expect(() => calculated("times", large, large)).toThrow(
    "BigInt is too big, total bits 600002 (max 435412)",
  );
});

test.each(["div", "mod"])("%s by zero is an error", (operation) => {
  expect(() => calculated(operation, 5n, 0n)).toThrow(DeterministicError);
  expect(() => calculated("ratio", 5n, 0n)).toThrow(DeterministicError);
});

describe("decimals in a mapping", () => {
  const of = (operation: string, x: string, y = "0"): string | undefined =>
    answer(mapping, "decimals", text(operation), text(x), text(y));

  test.each([
    ["plus", "-1.50", ".25", "-1.25"],
    ["minus", "1e30", "1", "999999999999999999999999999999"],
    ["times", "1.5", "-2", "-3"],
    ["div", "2", "3", "0.6666666666666666666666666666666667"],
    ["div", "-2", "3", "-0.66666666666666666666666666666666666"],
    ["text", "1e30", "0", `1${"0".repeat(30)}`],
    ["text", "-0.0", "0", "0"],
    ["equals", "1.50", "1.5", "yes"],
    ["equals", "1.5", "1.6", "no"],
    ["less", "-1", "0.1", "yes"],
  ])("%s %s %s", (operation, x, y, expected) => {
    expect(of(operation, x, y)).toBe(expected);
  });

  test("rounds the quotient of an integer and a decimal", () => {
    expect(calculated("ratio", 10n ** 40n + 1n, 10n)).toBe(String(10n ** 39n));
    expect(calculated("ratio", 1n, 8n)).toBe("0.125");
  });

  test("refuses decimals out of range and division by zero", () => {
    expect(of("text", "1e6144")).toBe(`1${"0".repeat(6144)}`);
    expect(of("text", "1e-6143")).toBe(`0.${"0".repeat(6142)}1`);
    expect(() => of("text", "1e6145")).toThrow(
      "big decimal exponent `6145` is outside the `-6143` to `6144` range",
    );
    expect(() => of("text", "1e-6144")).toThrow(DeterministicError);
    expect(() => of("div", "1", "0.0")).toThrow("by zero");
    expect(() => of("text", "1e")).toThrow(DeterministicError);
  });
});
