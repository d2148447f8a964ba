import { describe, expect, it } from "vitest";
import { writeParquet } from "../../../src/datasets/parquet/write-parquet.js";
import { type ExpectedWindow, readWindow } from "../../../src/datasets/sync/read-window.js";
import { aboutWindow, windowColumns, windowPieces } from "../../../src/datasets/sync/window-pieces.js";
import type { DatasetKind, DatasetRow } from "../../../src/datasets/tables/dataset.js";
import { parquetColumns } from "../../../src/datasets/tables/dataset.js";
import { datasets } from "../../../src/datasets/tables/datasets.js";

const day = "2015-07-30";
const contract = `0x${"a".repeat(40)}`;
const time = BigInt(Date.parse(day) / 1000);
const window = { from: 4, to: 7 };

/** A row with a value of the right type in every column. */
function rowOf(kind: DatasetKind, values: DatasetRow): DatasetRow {
  const some = {
    string: "0x",
    long: 1n,
    double: 1,
    hex: "0x",
    strings: [],
    boolean: true,
    timestamp: 1n,
  } as const;
  const all = parquetColumns(datasets[kind]).map(({ name, type }) => [name, some[type]]);
  return { ...Object.fromEntries(all), ...values };
}

function blockRow(number: number, values: DatasetRow = {}): DatasetRow {
  const links = { hash: `0x0${number}`, parent_hash: `0x0${number - 1}` };
  return rowOf("raw_blocks", { number: BigInt(number), timestamp: time, ...links, ...values });
}

function logRow(block: number, index: number, values: DatasetRow = {}): DatasetRow {
  const place = { block_number: BigInt(block), log_index: BigInt(index), block_timestamp: time };
  return rowOf("raw_logs", { ...place, address: contract, topics: "", ...values });
}

const blocks = [4, 5, 6, 7].map((number) => blockRow(number));
const logs = [logRow(4, 0), logRow(4, 1), logRow(6, 0)];

async function fileOf(kind: DatasetKind, rows: readonly DatasetRow[]): Promise<Uint8Array> {
  const batches = (async function* () {
    yield { to: window.to, rows, proofs: { proved: [], believed: {} } };
  })();
  const pieces: Uint8Array[] = [];
  for await (const piece of windowPieces(kind, window, { day, batches })) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function read(
  kind: DatasetKind,
  rows: readonly DatasetRow[],
  expected: Partial<ExpectedWindow> = {},
): Promise<unknown> {
  const bytes = await fileOf(kind, rows);
  return readWindow(bytes, { kind, day, contract: undefined, ...window, ...expected });
}

describe("a window that another process has written", () => {
  it("is read to the rows that it was made of", async () => {
    expect(await read("raw_blocks", blocks)).toEqual(blocks);
    expect(await read("raw_logs", logs, { contract })).toEqual(logs);
    expect(await read("raw_logs", [])).toEqual([]);
  });

  it.each<[string, DatasetKind, readonly DatasetRow[], Partial<ExpectedWindow>]>([
    ["is not of blocks 5-7", "raw_blocks", blocks.slice(1), { from: 5 }],
    ["is not of dataset raw_transactions", "raw_logs", logs, { kind: "raw_transactions" }],
    ["has 3 blocks, not the 4", "raw_blocks", blocks.slice(1), {}],
    ["lacks block 5", "raw_blocks", [4, 6, 6, 7].map((number) => blockRow(number)), {}],
    [
      "has a block 6 that does not follow",
      "raw_blocks",
      blocks.with(2, blockRow(6, { parent_hash: "0x" })),
      {},
    ],
    ["has rows of block 8, which", "raw_logs", [logRow(8, 0)], {}],
    ["has rows of block 3, which", "raw_logs", [logRow(3, 0)], {}],
    ["has rows of block 4 twice or out of order", "raw_logs", [logRow(4, 1), logRow(4, 1)], {}],
    ["has rows of block 4 twice or out of order", "raw_logs", [logRow(6, 0), logRow(4, 1)], {}],
    ["has rows of two blocks 4", "raw_logs", [logRow(4, 0), logRow(4, 1, { block_hash: "0x1" })], {}],
    ["has logs of another contract", "raw_logs", logs, { contract: `0x${"b".repeat(40)}` }],
    ["does not say the day", "raw_logs", logs, { day: "../../x" }],
    ["has rows of another day", "raw_logs", logs, { day: "2015-07-31" }],
    ["begins on 2015-07-31", "raw_logs", [logRow(4, 0, { block_timestamp: time + 86_400n })], {}],
    ["begins on 2015-07-29", "raw_logs", [logRow(6, 0, { block_timestamp: time - 1n })], {}],
    ["begins at a time that has no day", "raw_logs", [logRow(4, 0, { block_timestamp: 2n ** 62n })], {}],
  ])("is refused: %s", async (why, kind, rows, expected) => {
    await expect(read(kind, rows, expected)).rejects.toThrow(why);
  });

  it("is read from a file of an earlier version, which has the day as a column", async () => {
    const earlier = [...windowColumns("raw_logs"), { name: "dt", type: "string" } as const];
    const of = (dt: string): Uint8Array => {
      const rows = logs.map((row) => ({ ...row, dt }));
      const values = Object.fromEntries(
        earlier.map(({ name }) => [name, rows.map((row) => row[name as "dt"])]),
      );
      return writeParquet(earlier, values, aboutWindow("raw_logs", window));
    };
    const expected = { kind: "raw_logs", day, contract, ...window } as const;
    expect(await readWindow(of(day), expected)).toEqual(logs);
    await expect(readWindow(of("2015-07-31"), expected)).rejects.toThrow("has rows of another day");
  });

  it("is refused with other columns", async () => {
    const columns = windowColumns("raw_logs");
    const values = Object.fromEntries(columns.map(({ name }) => [name, []]));
    const made = (of: typeof columns) => writeParquet(of, values, aboutWindow("raw_logs", window));
    const expected = { kind: "raw_logs", day, contract: undefined, ...window } as const;
    expect(await readWindow(made(columns), expected)).toEqual([]);
    for (const other of [
      columns.slice(1),
      columns.toReversed(),
      columns.map((one) => ({ ...one, nullable: true })),
    ])
      await expect(readWindow(made(other), expected)).rejects.toThrow("has other columns than the dataset");
  });

  it("is refused when it is truncated or larger than allowed", async () => {
    const bytes = await fileOf("raw_logs", logs);
    const expected = { kind: "raw_logs", day, contract, ...window } as const;
    for (const cut of [0, 3, 100, bytes.length - 1])
      await expect(readWindow(bytes.subarray(0, cut), expected)).rejects.toThrow(
        "is not a whole Parquet file",
      );
    await expect(readWindow(bytes, expected, { rows: 2, bytes: 1e6 })).rejects.toThrow("more than 2 rows");
    await expect(readWindow(bytes, expected, { rows: 9, bytes: 50 })).rejects.toThrow("whole Parquet file");
  });

  it("reports only its own error when any byte is changed", async () => {
    const bytes = await fileOf("raw_logs", logs);
    const expected = { kind: "raw_logs", day, contract, ...window } as const;
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const outcome = await readWindow(changed, expected).catch((error: Error) => error.name);
      if (typeof outcome === "string") expect(outcome).toBe("StrangeWindowError");
    }
  });
});
