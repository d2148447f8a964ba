import { expect, it } from "vitest";
import { parseTable } from "../../src/data/catalog/parse-table.js";

it("a table in CSV has quoted fields, empty fields and lines of its own", () => {
  expect(parseTable('\ufeffid, name ,note\r\n1,"a ""b"",\nc",\n\n2,,"x"\n')).toEqual([
    { line: 2, values: { id: "1", name: 'a "b",\nc' } },
    { line: 5, values: { id: "2", note: "x" } },
  ]);
  expect(parseTable('id\n""\n7')).toEqual([{ line: 3, values: { id: "7" } }]);
});

it.each([
  ["", "It is empty."],
  ["a,b\n1", "Line 2 has 1 fields, and the first line has 2."],
  ["a,b\n1,2,", "Line 2 has 3 fields, and the first line has 2."],
  ['a,b\n1,x"y', "Line 2 has a quote in the wrong place."],
  ['a,b\n"1\n2"3,4', "Line 2 has a quote in the wrong place."],
  ['a,b\n1,"2\n', "Line 2 has a quote in the wrong place."],
  ["a,b\r1,2", "Line 1 has a quote in the wrong place."],
])("a table in CSV reports its fault with the line: %j", (text, message) => {
  expect(() => parseTable(text)).toThrow(message);
});
