import { describe, expect, it } from "vitest";
import { compareIds } from "../../src/compare/id-order.js";
import { sameValue, type ValueRule } from "../../src/compare/same-value.js";

describe("values", () => {
  it.each<[ValueRule, unknown, unknown, boolean]>([
    ["exact", "1.0", "1", false],
    ["exact", "0x0A", "0x0a", false],
    ["exact", 5, "5", false],
    ["exact", null, null, true],
    ["exact", null, "", false],
    ["exact", ["a", "b"], ["a", "b"], true],
    ["exact", ["a", "b"], ["b", "a"], false],
    ["exact", ["a"], ["a", "a"], false],
    ["exact", [], null, false],
    ["decimal", "1.50", "1.5", true],
    ["decimal", "1500", "1.5e3", true],
    ["decimal", "0.0015", "15E-4", true],
    ["decimal", "-0", "0.00", true],
    ["decimal", "+7", "07.", true],
    ["decimal", ".5", "0.5", true],
    ["decimal", "-1", "1", false],
    ["decimal", "1e999999999", "1e999999998", false],
    ["decimal", "10", "1", false],
    ["decimal", "0.1000000000000000000000000000000001", "0.1", false],
    ["decimal", "abc", "abd", false],
    ["decimal", ".", "0", false],
    ["decimal", null, "0", false],
    ["decimal", ["1.0", "2"], ["1", "2.00"], true],
  ])("compares with the rule %s: %j and %j", (rule, left, right, same) => {
    expect([sameValue(rule, left, right), sameValue(rule, right, left)]).toEqual([same, same]);
  });
});

describe("ids", () => {
  it("orders ids that are strings by their UTF-8 bytes", () => {
    const ids = ["", "0x", "0x00", "0x0000", "0x01", "Z", "a", "a-1", "a1", "é", "\uffee", "\u{1f600}"];
    for (const way of [ids, ids.toReversed()])
      expect(way.toSorted((a, b) => compareIds("text", a, b))).toEqual(ids);
  });

  it("orders ids that are numbers by their value", () => {
    const ids = ["-9223372036854775808", "-5", "7", "70", "77", "700", "9223372036854775807"];
    expect(ids.toReversed().sort((a, b) => compareIds("number", a, b))).toEqual(ids);
  });
});
