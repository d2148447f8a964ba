import { encodeBase58, keccak256, toUtf8Bytes } from "ethers";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { DeterministicError } from "../../../src/runtime/errors.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import { propertyRun } from "../../support/property/property-run.js";
import { answer, bytes, compileProbe, filled, text } from "./probe.js";

let mapping: Mapping;
beforeAll(async () => {
  mapping = await compileProbe();
});

const converted = (operation: string, given: string): string | undefined =>
  answer(mapping, "conversions", text(operation), text(given));
const ofBytes = (operation: string, given: string | Uint8Array): string | undefined =>
  answer(mapping, "conversions", text(operation), bytes(given));

describe("a string passes the border", () => {
  test.each([
    ["empty", "", ""],
    ["short", "abc", "abc"],
    ["long", "x".repeat(1000), "x".repeat(1000)],
    ["beyond the arena", "y".repeat(20_000), "y".repeat(20_000)],
    ["of every plane", "aä€😀\ufeff", "aä€😀\ufeff"],
    ["without its NULs", "a\0b\0", "ab"],
  ])("%s", (_, given, expected) => {
    expect(converted("echo", given)).toBe(expected);
  });
});

describe("bytes become", () => {
  test.each([
    ["0x", ""],
    ["0x616200000000", "ab"],
    ["0x61006200", "ab"],
    ["0x61ff62", "a\ufffdb"],
    ["0xe282", "\ufffd"],
    ["0xefbbbf61", "\ufeffa"],
  ])("converts bytes to a string: %s", (given, expected) => {
    expect(ofBytes("string", given)).toBe(expected);
  });

  test.each([
    ["0x", "0"],
    ["0x0000", "0"],
    ["0x616200000000", "2"],
    ["0x61006200", "3"],
  ])("converts bytes to a string without trailing NULs: %s", (given, expected) => {
    expect(ofBytes("length", given)).toBe(expected);
  });

  test.each([
    "0x",
    "0x00",
    "0x00ff10",
    filled(0xab),
    filled(1, 500),
  ])("converts bytes to hex: %s", (given) => {
    expect(ofBytes("hex", given)).toBe(given);
    expect(ofBytes("keccak", given)).toBe(keccak256(given));
  });

  test("converts bytes to base 58", () => {
    expect(ofBytes("base58", "0x")).toBe("");
    expect(ofBytes("base58", "0x0000")).toBe("11");
    expect(ofBytes("base58", toUtf8Bytes("Hello World!"))).toBe("2NEpo7TZRRrLZSi2U");
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (given) => {
        const zeros = given.findIndex((byte) => byte !== 0);
        const rest = zeros === -1 ? given.slice(given.length) : given.slice(zeros);
        const ones = "1".repeat(given.length - rest.length);
        expect(ofBytes("base58", given)).toBe(ones + (rest.length === 0 ? "" : encodeBase58(rest)));
      }),
      propertyRun(50),
    );
  });
});

describe("texts become numbers and addresses", () => {
  test.each([
    ["integer", "0", "0"],
    ["integer", "-0012", "-12"],
    ["integer", "+1_000_", "1000"],
    ["integer", "9".repeat(80), "9".repeat(80)],
    ["big", "-5", "-5"],
    ["i64", "-9223372036854775808", "-9223372036854775808"],
    ["i64", "+7", "7"],
    ["u64", "18446744073709551615", "18446744073709551615"],
    ["f64", "1.5e3", "1500.0"],
    ["f64", ".5", "0.5"],
    ["f64", "5.", "5.0"],
    ["f64", "-inf", "-Infinity"],
    ["f64", "NaN", "NaN"],
    ["address", filled(0xab, 20), filled(0xab, 20)],
    ["address", "AB".repeat(20), filled(0xab, 20)],
    ["address", `0x0x${"ab".repeat(20)}`, filled(0xab, 20)],
  ])("%s %s", (operation, given, expected) => {
    expect(converted(operation, given)).toBe(expected);
  });

  test.each([
    ["integer", ""],
    ["integer", "0x10"],
    ["integer", "_1"],
    ["integer", "1e3"],
    ["integer", " 1"],
    ["integer", "--1"],
    ["integer", "+-1"],
    ["integer", "-"],
    ["big", "1.0"],
    ["i64", "9223372036854775808"],
    ["i64", "1_0"],
    ["u64", "18446744073709551616"],
    ["u64", "-1"],
    ["f64", "."],
    ["f64", "1e"],
    ["f64", "0x1"],
  ])("refuses %s %s", (operation, given) => {
    expect(() => converted(operation, given)).toThrow(DeterministicError);
  });

  test.each([
    ["big", "1.0", "JSON `1.0` is not a decimal string: invalid digit found in string"],
    ["big", "", "JSON `` is not a decimal string: cannot parse integer from empty string"],
    ["i64", "1.0", "JSON `1.0` cannot be parsed as i64: invalid digit found in string"],
    [
      "i64",
      "-9223372036854775809",
      "JSON `-9223372036854775809` cannot be parsed as i64: number too small to fit in target type",
    ],
    [
      "u64",
      "18446744073709551616",
      "JSON `18446744073709551616` cannot be parsed as u64: number too large to fit in target type",
    ],
    ["f64", ".", "JSON `.` cannot be parsed as f64: invalid float literal"],
  ])("refuses %s %s with graph-node's message", (operation, given, complaint) => {
    expect(() => converted(operation, given)).toThrow(complaint);
  });

  test.each([
    ["0x12", "invalid string length"],
    ["", "invalid string length"],
    [`${filled(1, 20)}0`, "odd number of digits"],
    [`${filled(1, 20)}00`, "invalid string length"],
    [`0x00${"zz".repeat(19)}`, "invalid character 'z' at position 2"],
  ])("refuses the address %s with graph-node's message", (given, complaint) => {
    const failing = () => converted("address", given);
    expect(failing).toThrow(DeterministicError);
    expect(failing).toThrow(`Failed to convert string to Address: '${given}': ${complaint}`);
  });
});
