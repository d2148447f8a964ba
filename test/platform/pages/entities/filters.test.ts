import { describe, expect, it, test } from "vitest";
import { comparisonsOf, readFilters } from "../../../../src/platform/pages/entities/filters.js";
import { columnOf, layout, tableOf } from "./columns.js";

const read = (field: string, by: string, value = "") =>
  readFilters({ filters: [{ field, by, value }] }, tableOf("Trade"), layout);

describe("a filter by a field", () => {
  test.each([
    ["amount", "gt", "-5", "-5"],
    ["amount", "is", "9".repeat(78), "9".repeat(78)],
    ["price", "le", "1.50", "1.50"],
    ["small", "is", "2147483647", "2147483647"],
    ["count", "lt", "-9223372036854775808", "-9223372036854775808"],
    ["isOpen", "is", "true", "true"],
    ["kind", "not", "SELL", "SELL"],
    ["id", "is", "0xAB01", "\\xAB01"],
    ["id", "starts", "ab", "\\xab"],
    ["owners", "contains", "0x01", "\\x01"],
    ["note", "contains", "'; drop table", "'; drop table"],
    ["token", "is", " weth ", "weth"],
  ])("has a value of its type: %s %s %s", (field, by, value, stored) => {
    expect(read(field, by, value)).toEqual({
      filters: [{ column: columnOf(field), by, value: stored }],
      mistakes: [],
    });
  });

  test.each([
    ["nothing", "is", "1", "There is no field nothing."],
    ["amount", "like", "1", "Choose how to compare amount."],
    ["amount", "constructor", "1", "Choose how to compare amount."],
    ["amount", "contains", "1", 'The comparison "contains" does not work for amount.'],
    ["amount", "gt", "1.5", '"1.5" is not a valid value for amount. Enter a whole number.'],
    [
      "small",
      "is",
      "2147483648",
      '"2147483648" is not a valid value for small. Enter a 32-bit whole number.',
    ],
    ["price", "gt", "1e5", '"1e5" is not a valid value for price. Enter a number, such as 1.5.'],
    ["kind", "is", "buy", '"buy" is not a valid value for kind. Enter one of BUY, SELL.'],
    ["isOpen", "is", "yes", '"yes" is not a valid value for isOpen. Enter true or false.'],
    [
      "id",
      "is",
      "0xabc",
      '"0xabc" is not a valid value for id. Enter an even number of hexadecimal digits, such as 0x1a2b.',
    ],
  ])("reports an invalid value: %s %s %s", (field, by, value, mistake) => {
    expect(read(field, by, value)).toEqual({ filters: [], mistakes: [mistake] });
  });

  it("takes times as dates in UTC, or as microseconds", () => {
    const point = (value: string) =>
      readFilters(
        { filters: [{ field: "timestamp", by: "ge", value }] },
        tableOf("Point"),
        layout,
      ).filters.map((filter) => "value" in filter && filter.value);
    expect(point("2026-01-31")).toEqual(["2026-01-31 00:00:00+00"]);
    expect(point("2026-01-31 12:30")).toEqual(["2026-01-31 12:30:00+00"]);
    expect(point("1700000000000001")).toEqual(["2023-11-14 22:13:20.000001+00"]);
    expect(point("2026-02-31 25:00")).toEqual([]);
  });

  it("can ask for missing values of every field", () => {
    for (const column of tableOf("Trade").columns)
      expect(comparisonsOf(column)).toEqual(expect.arrayContaining(["missing", "present"]));
    expect(read("owners", "missing").filters).toEqual([{ column: columnOf("owners"), by: "missing" }]);
  });
});
