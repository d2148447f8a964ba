import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import {
  ParquetError,
  readParquetTable,
} from "../../../../src/pipelines/machine/duckdb/read-parquet-table.js";
import { testFolder } from "../../../support/folder.js";

const limits = { rows: 10, characters: 1_000 };

/** Writes the rows of a query; returns the path. */
async function written(query: string): Promise<string> {
  const path = join(testFolder(), "it's a [table]*.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `copy (${query}) to '${path.replaceAll("'", "''")}' (format parquet, compression zstd)`,
  );
  connection.closeSync();
  instance.closeSync();
  return path;
}

it("the reader reads every type as the text that an import accepts", async () => {
  const path = await written(`select * from (values
    ('ethereum', '\\xAB\\x01'::blob, timestamptz '2026-01-31 13:00:00+01', 0.1::double, 123456789012345678.000000001::decimal(38, 9), true),
    (null, null, timestamptz '1970-01-01 00:00:00Z', 1e-7::double, -1, false)) as t (chain, token, time, usd, exact, stable)`);
  expect(await readParquetTable(path, limits)).toEqual([
    {
      chain: "ethereum",
      token: "0xab01",
      time: "2026-01-31T12:00:00Z",
      usd: "0.1",
      exact: "123456789012345678.000000001",
      stable: "true",
    },
    { time: "1970-01-01T00:00:00Z", usd: "1e-07", exact: "-1.000000000", stable: "false" },
  ]);
});

it.each([
  ["select range from range(11)", "It has more than 10 rows"],
  ["select repeat('x', 2000) as label", "It has more than 10 rows, or too long ones"],
])("the reader refuses files that unpack to too much: %s", async (query, fault) => {
  await expect(readParquetTable(await written(query), limits)).rejects.toThrow(fault);
});

it("the reader refuses a file that is not Parquet", async () => {
  const path = join(testFolder(), "prices.parquet");
  writeFileSync(path, "PAR1 and then nothing of it PAR1");
  await expect(readParquetTable(path, limits)).rejects.toThrow(ParquetError);
});
