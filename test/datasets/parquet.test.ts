import { brotliDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { expect, it } from "vitest";
import type { Column } from "../../src/datasets/parquet/column.js";
import { aboutParquet, readParquet } from "../../src/datasets/parquet/read-parquet.js";
import { writeParquet } from "../../src/datasets/parquet/write-parquet.js";
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
