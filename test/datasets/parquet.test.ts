import { brotliDecompressSync } from "node:zlib";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, it } from "vitest";
import { isUnexpected } from "../../src/base/text/message-of.js";
import type { Column } from "../../src/datasets/parquet/column.js";
import { codecOf, compressions, isKnownCompression } from "../../src/datasets/parquet/compression.js";
import { aboutParquet, readParquet } from "../../src/datasets/parquet/read-parquet.js";
import { ParquetPieces, writeParquet } from "../../src/datasets/parquet/write-parquet.js";
import { damaged } from "../support/damage.js";
import { oddTexts, zeroTexts } from "../support/pipelines/odd-texts.js";

const columns: readonly Column[] = [
  { name: "text", type: "string", nullable: true },
  { name: "number", type: "long" },
  { name: "share", type: "double", nullable: true },
  { name: "hash", type: "hex", nullable: true },
  { name: "list", type: "strings" },
];
const values = {
  text: ["a", null, "ü,\n\u0000"],
  number: [0n, -(2n ** 63n), 2n ** 63n - 1n],
  share: [0.5, null, -0],
  hash: ["0x", `0x${"ab".repeat(32)}`, null],
  list: [[], ["", "x"], ["1"]],
};

it("the Parquet code reads back the rows that it wrote, nulls, bytes and lists included", async () => {
  expect(await readParquet(writeParquet(columns, values), columns)).toEqual(values);
});

it.each(
  compressions.filter(isKnownCompression),
)("the Parquet code reads back rows that it has compressed with %s, in groups of any size, and says so in the file", async (compression) => {
  const pieces = new ParquetPieces(columns, {}, { compression, groupRows: 2 });
  const file = Buffer.concat([pieces.add(values), pieces.finish()]);
  expect(await readParquet(file, columns)).toEqual(values);
  const { row_groups: groups } = parquetMetadata(Uint8Array.from(file).buffer);
  expect(groups.map(({ num_rows: rows }) => rows)).toEqual([2n, 1n]);
  expect(groups[0]?.columns[0]?.meta_data?.codec).toBe(codecOf[compression]);
});

it.each(
  compressions.filter((one) => one !== "none" && isKnownCompression(one)),
)("the Parquet code refuses a file that %s has packed and that unpacks to more than a limit", async (compression) => {
  const text = [{ name: "text", type: "string" }] as const;
  const pieces = new ParquetPieces(text, {}, { compression });
  const rows = pieces.add({ text: ["x".repeat(100_000), "y".repeat(100_000)] });
  const file = Buffer.concat([rows, pieces.finish()]);
  expect(file.length).toBeLessThan(20_000);
  await expect(readParquet(file, text, 150_000)).rejects.toThrow();
  expect((await readParquet(file, text, 250_000)).text).toHaveLength(2);
});

it("the Parquet code says in one sentence what is wrong with a damaged file", async () => {
  const file = writeParquet(columns, values);
  const faults = new Set<unknown>();
  for (let seed = 1; seed <= 400; seed += 1) {
    try {
      await readParquet(damaged(file, seed), columns, 1_000_000);
    } catch (error) {
      faults.add(error);
    }
  }
  expect(faults.size).toBeGreaterThan(100);
  expect([...faults].filter((fault) => isUnexpected(fault))).toEqual([]);
});

it("the Parquet code reads every text back unchanged", async () => {
  const texts = Object.values({ ...oddTexts, ...zeroTexts });
  const text: readonly Column[] = [
    { name: "text", type: "string", nullable: true },
    { name: "list", type: "strings" },
  ];
  const given = { text: texts, list: texts.map((one) => [one, one]) };
  expect(await readParquet(writeParquet(text, given), text)).toEqual(given);
});

it("the Parquet code writes the same bytes for the same rows", () => {
  expect(writeParquet(columns, values)).toEqual(writeParquet(columns, values));
});

it("the Parquet code writes a table without rows", async () => {
  const none = { text: [], number: [], share: [], hash: [], list: [] };
  expect(await readParquet(writeParquet(columns, none), columns)).toEqual(none);
});

it("the Parquet code keeps texts about the file", () => {
  expect(aboutParquet(writeParquet(columns, values, { chain: "1" })).get("chain")).toBe("1");
});

it("the Parquet code refuses bytes that are not a Parquet file", async () => {
  await expect(readParquet(new Uint8Array(100), columns)).rejects.toThrow();
});

it("the Parquet code writes strings that other readers read as strings", async () => {
  const file = writeParquet(columns, values).slice().buffer as ArrayBuffer;
  const rows = await parquetReadObjects({
    file,
    compressors: { BROTLI: (bytes) => brotliDecompressSync(bytes) },
  });
  expect(rows.map(({ text }) => text)).toEqual(["a", undefined, "ü,\n\u0000"].map((text) => text ?? null));
});
