import { describe, expect, it, test } from "vitest";
import { csvText, rowsAsCsv, rowsAsJson } from "../../../../src/platform/pages/entities/export-rows.js";
import { columnOf } from "./columns.js";

const columns = ["block_number", "note", "id", "amount", "price", "owners", "isOpen"].map((field) =>
  columnOf(field),
);
const row = {
  block_number: "12",
  note: 'say "hi", twice',
  id: "\\x01",
  amount: "-5",
  price: "-0.5",
  is_open: "true",
  owners: '{"\\\\xaa","\\\\xbb"}',
};

describe("exported rows", () => {
  it("are CSV with the subgraph's own fields first, and lists as JSON", () => {
    expect(rowsAsCsv(columns, [row, { id: "\\x02" }])).toBe(
      'id,note,amount,price,owners,isOpen,block_number\r\n0x01,"say ""hi"", twice",-5,-0.5,"[""0xaa"",""0xbb""]",true,12\r\n0x02,,,,,,\r\n',
    );
  });

  it("are JSON with the names and forms of queries", () => {
    expect(JSON.parse(rowsAsJson(columns, [row]))).toEqual([
      {
        id: "0x01",
        note: 'say "hi", twice',
        amount: "-5",
        price: "-0.5",
        owners: ["0xaa", "0xbb"],
        isOpen: true,
        block_number: "12",
      },
    ]);
  });

  it("are refused when a value was not read completely", () => {
    const long = { id: "\\x01", note: "x".repeat(10_001) };
    const mistake = "A value of note has more than 10,000 characters. Read these rows with a query.";
    expect(() => rowsAsCsv(columns, [long])).toThrow(mistake);
    expect(() => rowsAsJson(columns, [long])).toThrow(mistake);
  });

  test.each([
    ["=1+1", `"'=1+1"`],
    ["+1", `"'+1"`],
    ["-1", `"'-1"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t=1"`],
    ["\r=1", `"'\r=1"`],
    [" =1", `"' =1"`],
    ["\uFEFF=1", `"'\uFEFF=1"`],
    ["＝1", `"'＝1"`],
    ['=HYPERLINK("http://evil.example","a")', `"'=HYPERLINK(""http://evil.example"",""a"")"`],
    ["a=1", "a=1"],
    ["0x01", "0x01"],
    ["two\nlines", '"two\nlines"'],
    ["", ""],
  ])("contain no formula that a spreadsheet would run: %j", (text, cell) => {
    expect(csvText(text)).toBe(cell);
  });
});
