import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { describe, expect, onTestFinished, test } from "vitest";
import { hearFailures } from "../../src/base/failures.js";
import { readRuns } from "../../src/datasets/parquet/page-levels.js";
import { type DumpColumn, dumpSchema } from "../../src/dumps/dump-columns.js";
import { DumpError } from "../../src/dumps/dump-error.js";
import { readMetadata } from "../../src/dumps/dump-metadata.js";
import { storedTables } from "../../src/dumps/dump-tables.js";
import { judgeDump } from "../../src/dumps/judge-dump.js";
import { readDumpFile } from "../../src/dumps/read-dump-file.js";
import { dumpFile, type TextColumns } from "../../src/dumps/write-dump-file.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { layOut } from "../../src/store/tables/lay-out.js";
import { damaged } from "../support/damage.js";
import { testFolder } from "../support/folder.js";
import { copyRecorded } from "./dump-tests.js";

const column = (name: string, type: DumpColumn["type"], more: Partial<DumpColumn> = {}): DumpColumn => ({
  name,
  type,
  isList: false,
  isNullable: false,
  ...more,
});
const vid = column("vid", "long");
const n = column("n", "integer");
const file = "T/chunk_000000.parquet";

/** The error that ends a reading. */
async function faultOf(reading: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _ of reading);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Writes rows, given by column, and reads them back. */
async function readBack(
  columns: readonly DumpColumn[],
  values: TextColumns,
  readAs: readonly DumpColumn[] = columns,
  rows = values[0]?.length ?? 0,
): Promise<TextColumns> {
  const files = openDumpFiles(testFolder());
  const batches = async function* (): AsyncGenerator<TextColumns> {
    yield values;
  };
  await files.write(file, dumpFile(columns, batches()));
  const read = readAs.map((): (string | null)[] => []);
  for await (const batch of readDumpFile(files, { file, minVid: 1n, maxVid: 100_000n, rows }, readAs))
    for (const [index, own] of batch.columns.entries()) read[index]?.push(...own);
  return read;
}

describe("files of dumps", () => {
  test("every type, list and null is read as it was written", async () => {
    const types = ["boolean", "int", "long", "string", "integer", "decimal", "bytes", "timestamp"] as const;
    const samples: Record<string, readonly string[]> = {
      boolean: ["t", "f"],
      int: ["-2147483648", "7"],
      long: ["-9223372036854775808", "9007199254740993"],
      string: ["", 'é"\\{},NULL\n\ufeff'],
      integer: [`-${"9".repeat(80)}`, "0"],
      decimal: ["-0.000000000000000001", "1.50"],
      bytes: ["\\x", "\\x00ff"],
      timestamp: ["0001-01-01 00:00:00+00", "2023-11-14 22:13:20.000001+00"],
    };
    const columns = [
      column("vid", "long"),
      ...types.flatMap((type) => [
        column(type, type, { isNullable: true }),
        column(`${type}s`, type, { isList: true, isNullable: true }),
      ]),
    ];
    const values = [
      ["1", "2", "3", "4"],
      ...types.flatMap((type) => {
        const [one = "", other = ""] = samples[type] ?? [];
        const quoted = [one, other].map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`);
        return [
          [one, null, other, null],
          [`{${quoted.join(",")}}`, "{}", null, `{${quoted[1]},NULL}`],
        ];
      }),
    ];
    expect(await readBack(columns, values)).toEqual(values);
  });

  test("rows of many pages and row groups stay in their order, however their lists are cut", async () => {
    const columns = [column("vid", "long"), column("items", "string", { isList: true })];
    const rows = 60_000;
    const vids = Array.from({ length: rows }, (_, index) => String(index + 1));
    const items = vids.map(
      (vid) => `{${Array.from({ length: Number(vid) % 5 }, () => `"item ${vid}"`).join(",")}}`,
    );
    expect(await readBack(columns, [vids, items])).toEqual([vids, items]);
  });

  test.each<[string, readonly DumpColumn[], TextColumns, readonly DumpColumn[], number, RegExp]>([
    [
      "a value of another kind",
      [vid, column("n", "string")],
      [["1"], ["1.5"]],
      [vid, n],
      1,
      /^T\/chunk_000000.parquet: row group 0, column n: it holds "1.5", which is no integer/,
    ],
    [
      "a null where none may be",
      [vid, { ...n, isNullable: true }],
      [["1"], [null]],
      [vid, n],
      1,
      /row group 0, column n: it holds null/,
    ],
    [
      "another type",
      [vid, column("n", "bytes")],
      [["1"], ["\\x00"]],
      [vid, n],
      1,
      /column 2 \(n\) does not hold values of the type integer/,
    ],
    ["a column too few", [vid], [["1"]], [vid, n], 1, /it has 1 columns, and the table has 2/],
    [
      "a wrong number of rows",
      [vid, n],
      [["1"], ["1"]],
      [vid, n],
      2,
      /it has 1 rows, and metadata.json says 2/,
    ],
    [
      "vids that do not ascend",
      [vid, n],
      [
        ["2", "1"],
        ["1", "1"],
      ],
      [vid, n],
      2,
      /row group 0: vid 1 follows 2/,
    ],
    ["vids out of bounds", [vid, n], [["0"], ["1"]], [vid, n], 1, /vid 0 follows 0/],
  ])("%s is refused with its place", async (_, columns, values, readAs, rows, message) => {
    await expect(readBack(columns, values, readAs, rows)).rejects.toThrow(message);
  });

  test("a file that claims more rows than it has takes no memory for them", async () => {
    const bytes = new ByteWriter();
    const parquet = new ParquetWriter({ writer: bytes, schema: dumpSchema([vid]) });
    parquet.write({ columnData: [{ name: "vid", data: [1n, 2n] }] });
    const claimed = 2n ** 40n;
    for (const group of parquet.row_groups) group.num_rows = claimed;
    parquet.num_rows = claimed;
    parquet.finish();
    const folder = testFolder({ [file]: bytes.getBytes() });
    const reading = readDumpFile(
      openDumpFiles(folder),
      { file, minVid: 1n, maxVid: 2n, rows: Number(claimed) },
      [vid],
    );
    const read = async (): Promise<number> => {
      let rows = 0;
      for await (const { vids } of reading) rows += vids.length;
      return rows;
    };
    await expect(read()).rejects.toThrow(/row group 0, column vid: it has fewer rows than its row group/);
  });

  test("a run of numbers cannot be longer than the page says", () => {
    expect(readRuns(Uint8Array.of(6, 1), 1, 3)).toEqual(Uint32Array.of(1, 1, 1));
    expect(readRuns(Uint8Array.of(3, 0b10000010, 0b00000001), 2, 5)).toEqual(Uint32Array.of(2, 0, 0, 2, 1));
    expect(() => readRuns(Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x0f, 1), 1, 3)).toThrow(
      "a run has a wrong length",
    );
    expect(() => readRuns(Uint8Array.of(0), 1, 3)).toThrow();
  });
});

describe("folders of dumps", () => {
  const empty = { immutable: true, has_causality_region: false, chunks: [], max_vid: -1 };
  const change = (from: string | RegExp, to: string) => (folder: string) => {
    const path = join(folder, "metadata.json");
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  };
  test.each<[string, (folder: string) => void, RegExp]>([
    ["another version", change('"version": 1', '"version": 2'), /version 2 of the format/],
    ["no JSON", change("{", "{{"), /^metadata.json is not JSON$/],
    ["an empty metadata.json", (folder) => truncateSync(join(folder, "metadata.json")), /is not JSON$/],
    ["a key too few", change(/"health": \{[^}]*\},/, ""), /metadata.json has no health/],
    [
      "a path out of the folder",
      change("Mut/chunk_000000.parquet", "../Mut/chunk_000000.parquet"),
      /Mut: chunks\[0\]: file is not a path like Mut\/chunk_000000.parquet/,
    ],
    ["an absolute path", change("Mut/chunk_000000.parquet", "/etc/passwd"), /is not a path like/],
    [
      "a table that the schema does not have",
      change('"tables": {', `"tables": { "Ghost": ${JSON.stringify(empty)},`),
      /has the table Ghost/,
    ],
    ["a type without a table", (folder) => change(/"type Skip/, "")(withType(folder)), /has no table More/],
    [
      "a last vid that loses rows",
      change('"max_vid": 81604378725\n', '"max_vid": -1\n'),
      /Mut has the max_vid -1/,
    ],
    [
      "files that overlap",
      change('"min_vid": 73962346837', '"min_vid": 12884901992'),
      /Mut has vid 12884901992/,
    ],
    ["a hash that is none", change(/"hash": "../, '"hash": "zz'), /hash is not a hash of 64 hex digits/],
    [
      "an invalid schema",
      (folder) => writeFileSync(join(folder, "schema.graphql"), "type"),
      /schema.graphql cannot be read/,
    ],
  ])("%s is refused", async (_, damage, message) => {
    const folder = copyRecorded(testFolder());
    damage(folder);
    await expect(judgeDump(openDumpFiles(folder))).rejects.toThrow(message);
  });

  function withType(folder: string): string {
    const path = join(folder, "schema.graphql");
    writeFileSync(path, `${readFileSync(path, "utf8")}\ntype More @entity { id: ID! }\n`);
    return folder;
  }

  test("a file that was cut is named", async () => {
    const folder = copyRecorded(testFolder());
    const files = openDumpFiles(folder);
    const { metadata } = await judgeDump(files);
    const chunk = metadata.tables.get("Skip")?.chunks[0];
    truncateSync(join(folder, chunk?.file ?? ""), 700);
    const reading = chunk && readDumpFile(files, chunk, [vid]);
    await expect(reading?.next()).rejects.toThrow(/^Skip\/chunk_000000.parquet: /);
  });

  test("damaged files are refused by their names, and never as a failure of graphloom", async () => {
    const folder = copyRecorded(testFolder());
    const files = openDumpFiles(folder);
    const { metadata, entities } = await judgeDump(files);
    const fileTypes = new Set(metadata.manifest.fileTypes);
    const tables = storedTables(layOut(entities, "sgd", { fileTypes }), true);
    const failures: string[] = [];
    onTestFinished(hearFailures((stack) => failures.push(stack)));
    let refused = 0;
    for (const { type, columns } of tables) {
      const chunk = metadata.tables.get(type)?.chunks[0];
      if (!chunk) continue;
      const path = join(folder, chunk.file);
      const bytes = readFileSync(path);
      for (let seed = 1; seed <= 40; seed += 1) {
        writeFileSync(path, damaged(bytes, seed));
        const fault = await faultOf(readDumpFile(files, chunk, columns));
        if (fault === undefined) continue;
        refused += 1;
        expect(fault).toBeInstanceOf(DumpError);
        expect(`${fault}`.startsWith(`DumpError: ${chunk.file}: `), `${fault}`).toBe(true);
      }
    }
    expect(refused).toBeGreaterThan(200);
    expect(failures).toEqual([]);
  });

  test("numbers of 64 bits and texts that look like them keep their digits", () => {
    const folder = copyRecorded(testFolder());
    change('"max_vid": 2\n', '"max_vid": 9223372036854775807\n')(folder);
    change('"kinds"', JSON.stringify('"max_vid": 12'))(folder);
    const read = readMetadata(readFileSync(join(folder, "metadata.json"), "utf8"));
    expect(read.tables.get("Stats_day")?.maxVid).toBe(2n ** 63n - 1n);
    expect(read.manifest.description).toBe('"max_vid": 12');
  });
});
