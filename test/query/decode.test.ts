import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeScalar } from "../../src/query/request/decode.js";
import { scalarCodecs } from "../../src/store/tables/field-codecs.js";

const decode = (scalar: string, value: string) => () => decodeScalar({ kind: "String", value }, scalar);

describe("texts that clients write", () => {
  test.each([
    ["Bytes", "0xAbcD", "\\xabcd"],
    ["Bytes", "abcd", "\\xabcd"],
    ["Bytes", "0x0xab", "\\xab"],
    ["Bytes", "", "\\x"],
    ["BigInt", "+1_000", "1000"],
    ["BigInt", "-0005", "-0005"],
    ["BigDecimal", "1e3", "1000"],
    ["BigDecimal", "-1.50", "-1.5"],
    ["BigDecimal", ".5", "0.5"],
    ["BigDecimal", "5.", "5"],
    ["BigDecimal", `1${"0".repeat(33)}6`, `1${"0".repeat(32)}10`],
    ["Int8", "+9223372036854775807", "9223372036854775807"],
    ["Timestamp", "0", "1970-01-01 00:00:00+00"],
    ["Timestamp", "1700000000000001", "2023-11-14 22:13:20.000001+00"],
    ["Timestamp", "-62198755200000000", "0002-01-01 00:00:00+00 BC"],
    ["Timestamp", "253402300800000000", "10000-01-01 00:00:00+00"],
    ["String", "a", "a"],
  ])("decodes %s %s", (scalar, text, form) => {
    expect(decode(scalar, text)()).toBe(form);
  });

  test.each([
    ["Bytes", "0xabc", "Failed to decode `Bytes` value: `Odd number of digits`"],
    ["Bytes", "abzz", "Failed to decode `Bytes` value: `Invalid character 'z' at position 2`"],
    ["BigInt", "0x10", "Failed to decode `BigInt` value: `invalid digit found in string`"],
    ["BigInt", "-", "Failed to decode `BigInt` value: `cannot parse integer from empty string`"],
    ["BigDecimal", "", "Failed to decode `BigDecimal` value: `Failed to parse empty string`"],
    ["BigDecimal", "1e", "Failed to decode `BigDecimal` value: `cannot parse integer from empty string`"],
    ["BigDecimal", "Zeros", "Failed to decode `BigDecimal` value: `invalid digit found in string`"],
    ["BigDecimal", "1e99999", "Failed to decode `BigDecimal` value: `the exponent is out of range`"],
    ["Int8", "x", "Failed to decode `Int8` value: `x`"],
    ["Int8", "9223372036854775808", "Failed to decode `Int8` value: `9223372036854775808`"],
    ["Timestamp", "1.5", "Failed to decode `Timestamp` value: `1.5`"],
  ])("refuses an invalid %s: %s", (scalar, text, message) => {
    expect(decode(scalar, text)).toThrow(message);
  });
});

test("the decoder returns decimal numbers in graph-node's form", () => {
  const path = new URL("../runtime/wasm/number-cases.json", import.meta.url);
  const { decimals }: { readonly decimals: readonly Readonly<Record<string, unknown>>[] } = JSON.parse(
    readFileSync(path, "utf8"),
  );
  const given = decimals.flatMap(({ a, b, text, ...numbers }) => Object.values(numbers));
  const texts = given.filter((value) => typeof value === "string");
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts.map((text) => scalarCodecs.BigDecimal.answered(text))).toEqual(texts);
});
