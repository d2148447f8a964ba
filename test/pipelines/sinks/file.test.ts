import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isKnownCompression } from "../../../src/datasets/parquet/compression.js";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { type FileSinkOptions, openFileSink } from "../../../src/pipelines/sinks/file/file-sink.js";
import { filesOf } from "../../../src/pipelines/sinks/file/open-file.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { testFolder } from "../../support/folder.js";
import { text } from "../../support/pipelines/law-pipeline.js";
import { thisRun } from "../../support/pipelines/other-run.js";

const columns = [{ name: "id", type: "STRING", nullable: false }] as const;

function opened(
  folder: string,
  sources: readonly string[],
  limits: Pick<FileSinkOptions, "blocksPerFile" | "rowsPerFile" | "bytesPerFile"> = { blocksPerFile: 1 },
): Promise<Sink> {
  const files = openTableFiles(folder);
  return openFileSink({
    files,
    place: { name: "folder", setting: "path" },
    flow: "f",
    sink: "s",
    sources,
    columns,
    ...limits,
  });
}

/** A batch of rows. */
function batch(source: string, from: number, to: number, rows: readonly string[]): SinkBatch {
  return {
    source,
    from,
    to,
    changes: {
      schema: { columns, key: [] },
      operations: rows.map((): "i" => "i"),
      rows: { count: rows.length, columns: [rows] },
      replaced: { count: 0, columns: [[]] },
      overwritten: 0,
    },
    ledger: { from, to, rows: rows.length, sum: 1n },
    position: { next: to + 1, open: [] },
  };
}

it("INV-P3: a file sink refuses a folder that another process writes, until that has ended", async () => {
  const folder = testFolder();
  const first = await opened(folder, ["a"]);
  await expect(opened(folder, ["a"])).rejects.toThrow(
    new RegExp(`^Another run writes the folder of sink \\S+${thisRun.source}, or choose another path\\.$`),
  );
  await first.close();
  await (await opened(folder, ["a"])).close();
});

it("a file sink gives sources with similar names folders of their own", async () => {
  const folder = testFolder();
  const sources = ["a b", "a_b", "a/b", "..", "ä"];
  const sink = await opened(folder, sources);
  for (const source of sources) await sink.write(batch(source, 0, 0, ["x"]));
  await sink.close();
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(["%2e.", "%c3%a4", "a%20b", "a%2fb", "a_b"]);
  expect((await opened(folder, sources)).positions.size).toBe(5);
});

it("a file sink takes a compression that this Node.js has, refuses zstd without it, and has no limit below one", () => {
  const settings = (compression: string) => ({
    compression: text(compression),
    rows_per_file: { value: 0, at: text("0").at },
  });
  expect(filesOf(settings("gzip"), columns)).toMatchObject({
    blocksPerFile: 10_000,
    rowsPerFile: 1,
    bytesPerFile: undefined,
    form: { compression: "gzip", groupRows: undefined },
  });
  const zstd = () => filesOf(settings("zstd"), columns).form?.compression;
  if (isKnownCompression("zstd")) expect(zstd()).toBe("zstd");
  else expect(zstd).toThrow("compression: zstd needs Node.js 22.15 or newer. Choose gzip or snappy.");
});

const [few, many] = [["12345", "12345"], Array.from({ length: 9 }, () => "12345")];

it.each([
  ["rows", { rowsPerFile: 5 }],
  ["bytes", { bytesPerFile: 25 }],
])("a file sink ends a file before the blocks with which it would have more %s than the limit", async (_, limit) => {
  const folder = testFolder();
  const sink = await opened(folder, ["a"], { blocksPerFile: 100, ...limit });
  // Batches of blocks with rows: a file is full at once, is full before the next batch, or has one batch.
  const batches = [few, few, few, [], ["123", "12345", "12345"], many, few, few, ["12345"], few];
  for (const [block, rows] of batches.entries()) await sink.write(batch("a", block, block, rows));
  await sink.end?.("a", batches.length);
  await sink.close();
  const ranges = readdirSync(join(folder, "a")).map((name) => name.replaceAll(/0+(?=\d)|\.parquet/g, ""));
  expect(ranges).toEqual(["0-1", "2-4", "5-5", "6-8", "9-9"]);
  expect((await opened(folder, ["a"])).positions.get("a")?.next).toBe(10);
});

it.each([
  [{}, undefined],
  [{ rowsPerFile: 3 }, 3],
  [{ rowsPerFile: 5_000 }, 1_000],
  [{ rowsPerFile: 100_000 }, 10_000],
  [{ bytesPerFile: 3_200_000 }, 10_000],
])("a file sink with the limits %j asks for batches that fill files well", async (limits, rows) => {
  const sink = await opened(testFolder(), ["a"], { blocksPerFile: 100, ...limits });
  expect(sink.mostRows).toBe(rows);
  await sink.close();
});

it("a file sink hides drafts from readers, and removes drafts that a crash has left, and no other files", async () => {
  const folder = testFolder();
  const sink = await opened(folder, ["a"]);
  await sink.write(batch("a", 0, 0, ["x"]));
  await sink.close();
  const seen: string[] = [];
  const draft = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(9);
    seen.push(...readdirSync(join(folder, "a")).filter((name) => !name.endsWith(".parquet")));
  };
  await openTableFiles(folder).write("a/000000000001-000000000001.parquet", draft());
  expect(seen).toEqual([expect.stringMatching(/^\.000000000001-000000000001\.parquet\.[0-9a-f]{12}\.tmp$/)]);
  const left = [
    ".000000000002-000000000002.parquet.0123456789ab.tmp",
    "000000000002-000000000002.parquet.0123456789ab.tmp",
  ];
  const others = [".DS_Store", "rows.0123456789ab.tmp"];
  mkdirSync(join(folder, "a"), { recursive: true });
  for (const name of [...left, ...others]) writeFileSync(join(folder, "a", name), "PAR1");
  await (await opened(folder, ["a"])).close();
  const isThere = (name: string): boolean => existsSync(join(folder, "a", name));
  expect([left.map(isThere), others.map(isThere)]).toEqual([
    [false, false],
    [true, true],
  ]);
});
