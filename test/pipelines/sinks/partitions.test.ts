import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { TableFiles } from "../../../src/datasets/sync/table-files.js";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { type LedgerEntry, ledgerEntry } from "../../../src/pipelines/changes/ledger.js";
import { noRows, type Rows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openFileSink } from "../../../src/pipelines/sinks/file/file-sink.js";
import { partitionFolder, partitionValues } from "../../../src/pipelines/sinks/file/partition-folder.js";
import { PartitionedWindows } from "../../../src/pipelines/sinks/file/partitioned-windows.js";
import { splitRows } from "../../../src/pipelines/sinks/file/split-rows.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { testFolder } from "../../support/folder.js";
import { interruptedFiles } from "../../support/pipelines/law/window-files.js";

const columns: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: false },
  { name: "dt", type: "STRING", nullable: true },
  { name: "chain", type: "LONG", nullable: false },
  { name: "is_large", type: "BOOLEAN", nullable: true },
];

const named = columns.slice(1);

function opened(
  folder: string,
  partitions: readonly string[] = ["dt", "chain", "is_large"],
  files: TableFiles = openTableFiles(folder),
): Promise<Sink> {
  const place = { name: "folder", setting: "path" };
  return openFileSink({
    files,
    place,
    flow: "f",
    sink: "s",
    sources: ["given"],
    columns,
    partitions,
    blocksPerFile: 10,
  });
}

/** A window of ten blocks with some rows. */
function window(from: number, values: readonly (readonly RowValue[])[]): SinkBatch {
  const rows: Rows = {
    count: values.length,
    columns: columns.map((_, column) => values.map((row) => row[column] ?? null)),
  };
  const to = from + 9;
  return {
    source: "given",
    from,
    to,
    position: { next: to + 1, open: [] },
    ledger: ledgerEntry(from, to, { minus: noRows(columns.length), plus: rows }),
    changes: {
      schema: { columns, key: ["id"] },
      rows,
      overwritten: 0,
      operations: values.map((): "i" => "i"),
      replaced: noRows(columns.length),
    },
  };
}

/** What a reader of partitions finds, as texts, by id. */
async function found(folder: string): Promise<readonly (readonly unknown[])[]> {
  const rows = await readWithDuckDb(join(folder, "given/**/*.parquet"), true);
  const values = rows.map((row) => columns.map(({ name }) => row[name]));
  return values.sort(([one], [other]) => String(one).localeCompare(String(other)));
}

function pathsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

it.each<[string, readonly RowValue[]]>([
  ["dt=2024-01-01/chain=1/is_large=true", ["2024-01-01", 1n, true]],
  ["dt=__HIVE_DEFAULT_PARTITION__/chain=-5/is_large=__HIVE_DEFAULT_PARTITION__", [null, -5n, null]],
  ["dt=%2E.%2Fa%3Db%25%0A/chain=0/is_large=false", ["../a=b%\n", 0n, false]],
  ["dt=ä b+c/chain=0/is_large=false", ["ä b+c", 0n, false]],
])("a partitioned sink writes values as the folder %s, and reads them back", (folder, values) => {
  expect(partitionFolder(named, values)).toBe(folder);
  expect(partitionValues(named, folder)).toEqual(values);
});

it.each([
  ["dt=1/chain=x/is_large=true"],
  ["dt=1/chain=1/is_large=yes"],
  ["dt=1/chain=1"],
  ["chain=1/dt=1/is_large=true"],
])("a partitioned sink reads no values out of %s", (folder) => {
  expect(partitionValues(named, folder)).toBeUndefined();
});

it("a partitioned sink writes a file for each partition of a window, without the columns in its folders", async () => {
  const folder = testFolder();
  const sink = await opened(folder);
  const rows = [
    ["a", "2024-01-01", 1n, true],
    ["b", null, 1n, null],
    ["c", "2024-01-01", 1n, true],
    ["d", "x/y: 'z' %41", 10n, false],
  ] as const;
  await sink.write(window(0, rows));
  await sink.write(window(10, []));
  await sink.close();
  expect(pathsIn(folder)).toEqual([
    "_graphloom.json",
    "given/_windows/000000000000-000000000009.window",
    "given/_windows/000000000010-000000000019.window",
    "given/dt=2024-01-01/chain=1/is_large=true/000000000000-000000000009.parquet",
    "given/dt=__HIVE_DEFAULT_PARTITION__/chain=1/is_large=__HIVE_DEFAULT_PARTITION__/000000000000-000000000009.parquet",
    "given/dt=x%2Fy%3A %27z%27 %2541/chain=10/is_large=false/000000000000-000000000009.parquet",
  ]);
  const texts = rows.map((row) => row.map((value) => (value === null ? null : String(value))));
  expect(await found(folder)).toEqual(texts);
  const again = await opened(folder);
  expect(again.positions.get("given")?.next).toBe(20);
  await again.close();
});

it("INV-P1: a partitioned sink holds each row once, wherever its writer ends", async () => {
  const first = [
    ["a", "2024-01-01", 1n, true],
    ["b", "2024-01-02", 1n, true],
  ];
  const second = [
    ["c", "2024-01-02", 1n, true],
    ["d", "2024-01-03", 1n, true],
  ];
  const all = [...first, ...second].map((row) => row.map(String));
  let crashes = 0;
  for (let left = 1; ; left += 1) {
    const folder = testFolder();
    let calls = 0;
    const files = interruptedFiles(openTableFiles(folder), () => {
      calls += 1;
      if (calls >= left) throw new Error("the process has ended");
    });
    let sink: Sink | undefined;
    const windows = [window(0, first), window(10, second)];
    try {
      sink = await opened(folder, undefined, files);
      for (const one of windows) await sink.write(one);
    } catch {
      crashes += 1;
    }
    const isOver = calls < left;
    await sink?.close();
    // Whatever was left of a window is completed, or written by a run that reads its blocks in other batches.
    const next = await opened(folder);
    const from = next.positions.get("given")?.next ?? 0;
    for (const one of windows) if (one.from >= from) await next.write(one);
    await next.close();
    expect(await found(folder), `after ${left} steps`).toEqual(all);
    if (isOver) break;
  }
  expect(crashes).toBeGreaterThan(30);
});

it.each([
  ["", 'Column dt has the value "", which readers of partitions take for a missing one.'],
  ["__HIVE_DEFAULT_PARTITION__", "which readers of partitions take for a missing one."],
  ["é".repeat(99), "Column dt has a value that is too long for the name of a folder: ééé"],
])("a partitioned sink refuses the value %j, and writes no row of its window", async (value, message) => {
  const folder = testFolder();
  const sink = await opened(folder);
  await sink.write(window(0, [["a", "b", 1n, true]]));
  const before = pathsIn(folder);
  const rows = [
    ["c", "d", 1n, true],
    ["e", value, 1n, true],
  ];
  await expect(sink.write(window(10, rows))).rejects.toThrow(message);
  await sink.close();
  expect(pathsIn(folder)).toEqual(before);
});

it("a partitioned sink names the block of a row whose value cannot name a folder", () => {
  const columns = [
    { name: "dt", type: "STRING", nullable: true },
    { name: "block_number", type: "LONG", nullable: false },
  ] as const;
  const rows = {
    count: 2,
    columns: [
      ["a", ""],
      [7n, 8n],
    ],
  };
  expect(() => splitRows(rows, columns, [0])).toThrow('In block 8: Column dt has the value ""');
});

it("a partitioned sink refuses values that make the path of a file too long together", () => {
  const many = Array.from({ length: 5 }, (_, index) => ({ ...columns[1], name: `c${index}` }) as RowColumn);
  const values = (length: number): string[] => many.map(() => "é".repeat(length));
  expect(partitionFolder(many, values(60))).toHaveLength(5 * 64 - 1);
  expect(() => partitionFolder(many, values(80))).toThrow(
    /^Columns c0, c1, c2, c3, c4 have values that are too long together for the path of a file: c0=é+\/c1=é+… Partition by fewer columns/,
  );
});

it("a partitioned sink keeps the rows of different texts that give the same file name", async () => {
  const folder = testFolder();
  const sink = await opened(folder);
  await sink.write(
    window(0, [
      ["a", "x\ud800", 1n, true],
      ["b", "x\udc00", 1n, true],
    ]),
  );
  await sink.close();
  expect(await found(folder)).toEqual([
    ["a", "x\ufffd", "1", "true"],
    ["b", "x\ufffd", "1", "true"],
  ]);
});

it("a partitioned sink removes the earlier rows of a window that is written again, wherever its writer stops", async () => {
  const entryOf = ({ ledger }: SinkBatch): LedgerEntry => ledger as LedgerEntry;
  const before = window(0, [
    ["a", "2024-01-01", 1n, true],
    ["b", "2024-01-02", 1n, true],
  ]);
  const after = window(0, [
    ["b", "2024-01-02", 1n, true],
    ["c", "2024-01-03", 1n, true],
  ]);
  const names = named.map(({ name }) => name);
  let crashes = 0;
  for (let left = 1; ; left += 1) {
    const folder = testFolder();
    const plain = openTableFiles(folder);
    const layout = new PartitionedWindows(plain, columns, names);
    await layout.write("given", [before.changes.rows], entryOf(before));
    let calls = 0;
    const files = interruptedFiles(plain, () => {
      calls += 1;
      if (calls >= left) throw new Error("the process has ended");
    });
    const again = new PartitionedWindows(files, columns, names).write(
      "given",
      [after.changes.rows],
      entryOf(after),
      true,
    );
    const isOver = await again.then(
      () => true,
      () => false,
    );
    const range = { from: 0, to: 9 };
    const isBegun = (await layout.entryOf("given", range))?.sum === entryOf(after).sum;
    expect(await layout.complete("given", range)).toBe(true);
    const rows = isBegun ? after : before;
    const expected = [0, 1].map((row) =>
      rows.changes.rows.columns.map((column) => String(column[row] ?? null)),
    );
    expect(await found(folder), `after ${left} steps`).toEqual(expected);
    const written = pathsIn(folder);
    expect(await layout.pathsOf("given", range, written)).toEqual(expect.arrayContaining([...written]));
    crashes += isOver ? 0 : 1;
    if (isOver) break;
  }
  expect(crashes).toBeGreaterThan(10);
});

it("a partitioned sink refuses to divide a window into more than a thousand files", async () => {
  const folder = testFolder();
  const sink = await opened(folder);
  const rows = Array.from({ length: 1_001 }, (_, row) => [`${row}`, `${row}`, 1n, true]);
  await expect(sink.write(window(0, rows))).rejects.toThrow(
    "The rows of one window have more than 1000 partitions, and each would be a file. Partition by fewer values, or set blocks_per_file to fewer blocks.",
  );
  await sink.close();
});

it("a partitioned sink continues in a folder of an earlier version, and renames its marker to a name that readers skip", async () => {
  const folder = testFolder();
  const [now, former] = [join(folder, "_graphloom.json"), join(folder, "graphloom.json")];
  const sink = await opened(folder);
  await sink.write(window(0, [["a", "2024-01-01", 1n, true]]));
  await sink.close();
  const text = readFileSync(now, "utf8");
  for (const names of [[former], [former, now]]) {
    rmSync(now, { force: true });
    for (const name of names) writeFileSync(name, text);
    const again = await opened(folder);
    expect(again.positions.get("given")?.next).toBe(10);
    await again.close();
    expect([existsSync(former), readFileSync(now, "utf8")]).toEqual([false, text]);
  }
});

it("a partitioned sink refuses a folder with other partitions", async () => {
  const folder = testFolder();
  const sink = await opened(folder, ["dt", "chain"]);
  await sink.write(window(0, [["a", "b", 1n, true]]));
  await sink.close();
  for (const partitions of [["chain", "dt"], ["dt"], []])
    await expect(opened(folder, partitions)).rejects.toThrow(
      "The folder holds files with other columns or partitions. Choose another path.",
    );
});
