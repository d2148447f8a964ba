import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sumOfRows } from "../../../src/pipelines/changes/row-hash.js";
import type { Rows, RowValue } from "../../../src/pipelines/changes/rows.js";

function rowsOf(rows: readonly (readonly RowValue[])[]): Rows {
  const width = rows[0]?.length ?? 0;
  return {
    count: rows.length,
    columns: Array.from({ length: width }, (_, column) => rows.map((row) => row[column] as RowValue)),
  };
}

const sum = (...rows: readonly (readonly RowValue[])[]): bigint => sumOfRows(rowsOf(rows));

const value: fc.Arbitrary<RowValue> = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary-ascii" }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string()),
);
const row = fc.array(value, { minLength: 3, maxLength: 3 });

describe("the sum of rows", () => {
  it("equals the sum that ledgers keep", () => {
    const rows = rowsOf([
      ["0xd8da6bf26964af9d7eed9e03e53415d37aa96045", 18_400_000n, "1000000000000000000", null, true],
      ["Ωμέγα", -1n, "", 0.5, ["a", ""]],
    ]);
    expect(sumOfRows(rows).toString(16)).toBe("4711d057d84354834810afb28e9a36b7");
  });

  it("does not depend on the order of rows or on how they are split", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const parts = rows.reduce((total, one) => total + sum(one), 0n);
        expect(sum(...rows)).toBe(BigInt.asUintN(128, parts));
        expect(sum(...[...rows].reverse())).toBe(sum(...rows));
      }),
    );
  });

  it("is the sum of its parts for rows of several chunks", () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => [`row ${index}`, BigInt(index % 7)]);
    const parts = rows.reduce((total, one) => total + sum(one), 0n);
    expect(sum(...rows)).toBe(BigInt.asUintN(128, parts));
  });

  it("changes with every value", () => {
    fc.assert(
      fc.property(row, fc.nat(2), value, (before, at, other) => {
        fc.pre(
          !Object.is(before[at], other) &&
            JSON.stringify(before[at] ?? 0, text) !== JSON.stringify(other, text),
        );
        expect(sum(before.with(at, other))).not.toBe(sum(before));
      }),
    );
  });

  it.each<[string, readonly RowValue[], readonly RowValue[]]>([
    ["a text and the number that it spells", ["1"], [1n]],
    ["an integer and a number", [1n], [1]],
    ["nothing and an empty text", [null], [""]],
    ["false and nothing", [false], [null]],
    ["zero and minus zero", [0], [-0]],
    ["texts that are split elsewhere", ["ab", "c"], ["a", "bc"]],
    ["items that are split elsewhere", [["ab"]], [["a", "b"]]],
    ["a text and a list of it", ["a"], [["a"]]],
    ["lists in neighbouring columns", [["a"], []], [[], ["a"]]],
    ["columns that are exchanged", ["a", "b"], ["b", "a"]],
    ["a text and one that ends with a null byte", ["a"], ["a\0"]],
  ])("distinguishes %s", (_, one, other) => {
    expect(sum(one)).not.toBe(sum(other));
  });

  it("is different for twenty thousand rows that are almost alike", () => {
    const sums = new Set<bigint>();
    const low = new Set<bigint>();
    for (let index = 0; index < 20_000; index += 1) {
      const one = sum([`0x${index.toString(16).padStart(64, "0")}`, BigInt(index >> 8)]);
      sums.add(one);
      low.add(one & 0xffff_ffff_ffffn);
    }
    expect(sums.size).toBe(20_000);
    expect(low.size).toBe(20_000);
  });
});

function text(_: string, held: unknown): unknown {
  return typeof held === "bigint" ? `${held}n` : held;
}
