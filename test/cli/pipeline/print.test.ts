import { expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { RowTable } from "../../../src/pipelines/sinks/print/row-table.js";

const columns: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: false },
  { name: "amount", type: "DECIMAL", nullable: true },
  { name: "share", type: "DOUBLE", nullable: true },
  { name: "block_timestamp", type: "LONG", nullable: true },
  { name: "seen", type: "TIMESTAMP", nullable: true },
  { name: "list", type: "ARRAY<STRING>", nullable: true },
];
const hash = `0x${"ab".repeat(15)}${"cd".repeat(17)}`;
const rows = {
  count: 3,
  columns: [
    [hash, "b\n\u202e", "短い"],
    [2n ** 256n - 1n, null, "-5"],
    [1e21, 1.5e-7, null],
    [1_700_000_000n, 7n, null],
    [1_700_000_000_999_999n, null, -1n],
    [["a", "b"], [], null],
  ],
};

it("a table shows times in UTC, all digits of numbers, and nulls, in columns that stand below their names", () => {
  const lines = new RowTable(columns, 1_000).lines(["i", "u", "d"], rows).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/).map((cell) => cell.trim()))).toEqual(
    [
      ["op", "id", "amount", "share", "block_timestamp", "seen", "list"],
      [
        "i",
        hash,
        `${2n ** 256n - 1n}`,
        `1${"0".repeat(21)}`,
        "2023-11-14 22:13:20",
        "2023-11-14 22:13:20",
        '["a","b"]',
      ],
      ["u", "b\\n\\u202e", "null", "0.00000015", "7", "null", "[]"],
      ["d", "短い", "-5", "null", "null", "1969-12-31 23:59:59", "null"],
    ].concat([[""]]),
  );
  const [names = "", first = "", , third = ""] = lines;
  expect(names.indexOf("share") + 5).toBe(first.indexOf(`1${"0".repeat(21)}`) + 22);
  // Two of the characters take two columns each.
  expect(third.indexOf("1969") + 2).toBe(names.indexOf("seen"));
});

it("a table cuts texts in the middle to fit into a line, and no numbers", () => {
  const table = new RowTable(columns.slice(0, 2), 100);
  const lines = table.lines(["i"], { count: 1, columns: [[hash], [2n ** 256n - 1n]] });
  expect(lines).toBe(`op  id${" ".repeat(88)}amount\ni   0xabababab…dcdcd  ${2n ** 256n - 1n}\n`);
  const narrow = new RowTable(columns.slice(0, 2), 20);
  expect(narrow.lines(["i"], { count: 1, columns: [["short"], [12n]] })).toBe(
    "op  id     amount\ni   short      12\n",
  );
});

it("a table repeats the names of its columns when these have moved, and only then", () => {
  const table = new RowTable(columns.slice(0, 1), 80);
  const line = (id: string): string => table.lines(["i"], { count: 1, columns: [[id]] });
  expect(line("abc")).toBe("op  id\ni   abc\n");
  expect(line("ab")).toBe("i   ab\n");
  expect(line("abcdef")).toBe("i   abcdef\n");
});

it("a table shows all digits of a number, however small it is", () => {
  const table = new RowTable(columns.slice(2, 3), 80);
  const lines = table.lines(["i", "i", "i"], { count: 3, columns: [[1e-25, -1.25e-22, 5e-324]] });
  const small = lines.split("\n").slice(1, 4);
  expect(small.map((line) => line.split(/ +/)[1])).toEqual([
    `0.${"0".repeat(24)}1`,
    `-0.${"0".repeat(21)}125`,
    `0.${"0".repeat(323)}5`,
  ]);
});
