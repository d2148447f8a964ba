import { expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { describedRow } from "../../../src/pipelines/transforms/described-row.js";

const columnsOf = (...names: readonly string[]): readonly RowColumn[] =>
  names.map((name) => ({ name, type: "STRING", nullable: true }));

it.each([
  [columnsOf("hash", "id", "block_number"), ["0x1", "a", 17n], 'the row with id "a" of block 17'],
  [columnsOf("id", "block_number"), ["a\u001b[31m", null], 'the row with id "a\\u001b[31m"'],
  [columnsOf("owner", "amount"), ["b", "5"], 'the row with owner "b"'],
])("a message describes a row by its id or its first column, and by its block: %#", (columns, values, text) => {
  const rows = { count: 2, columns: values.map((value) => ["other", value]) };
  expect(describedRow(columns, rows, 1)).toBe(text);
});
