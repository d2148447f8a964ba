import { expect, it, onTestFinished } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { ledgerEntry } from "../../../src/pipelines/changes/ledger.js";
import { noRows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { PartitionedWindows } from "../../../src/pipelines/sinks/file/partitioned-windows.js";
import { testFolder } from "../../support/folder.js";
import { contentOf } from "../../support/pipelines/expect-audited-files.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { storedRows } from "../../support/pipelines/stored-rows.js";

const columns: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: false },
  { name: 'o"d', type: "STRING", nullable: true },
  { name: "large", type: "DECIMAL", nullable: true },
  { name: "chain", type: "LONG", nullable: true },
  { name: "is_large", type: "BOOLEAN", nullable: true },
];

const range = { from: 0, to: 9 };

it("a partitioned sink partitions rows of the SQL engine like other rows, for any values", async () => {
  const texts = [
    "../a",
    "'; DROP TABLE x; --",
    "a\u0000b",
    "\u0000",
    "ä b",
    "A",
    "a",
    "\u2028\u202e",
    "%41",
    "😀",
    null,
    " ",
    ".",
    "..",
    "x/y\\z",
    "\n\t\u007f\u0085",
  ];
  const values = texts.flatMap((text, index): readonly (readonly RowValue[])[] => [
    [`${index}a`, text, "1", 1n, true],
    [`${index}b`, text, null, -(2n ** 63n), null],
    [`${index}c`, text, `${2n ** 255n}`, null, false],
  ]);
  const rows = {
    count: values.length,
    columns: columns.map((_, column) => values.map((row) => row[column] ?? null)),
  };
  const entry = ledgerEntry(range.from, range.to, { minus: noRows(columns.length), plus: rows });
  const engine = await onlySql.openEngine();
  onTestFinished(() => engine.close());
  await engine.createTable("given", columns);
  const stored = await storedRows(engine, testFolder(), { name: "given", columns }, rows, ["id"]);
  const [one, other] = [testFolder(), testFolder()];
  const names = columns.slice(1).map(({ name }) => name);
  const [fast, slow] = [one, other].map(
    (folder) => new PartitionedWindows(openTableFiles(folder), columns, names),
  );
  const { writeWith } = openTableFiles(one);
  if (!writeWith) throw new Error("files of this machine have no such writer");
  await fast?.writeStored("given", stored, entry, writeWith);
  await slow?.write("given", [rows], entry);
  expect(Object.keys(contentOf(one))).toEqual(Object.keys(contentOf(other)));
  expect(Object.keys(contentOf(one))).toHaveLength(values.length + 1);
  const notes: string[] = [];
  const read = await fast?.read("given", range, (note) => notes.push(note), true);
  expect(notes).toEqual([]);
  expect(read?.columns[0]?.toSorted()).toEqual(rows.columns[0]?.toSorted());
  const again = await slow?.read("given", range, (note) => notes.push(note), true);
  expect(read).toEqual(again);
});
