import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { ledgerEntry } from "../../../src/pipelines/changes/ledger.js";
import { noRows, type Rows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn, ValueType } from "../../../src/pipelines/changes/schema.js";
import { loadDuckDb } from "../../../src/pipelines/machine/duckdb/load-duckdb.js";
import { openFileSink } from "../../../src/pipelines/sinks/file/file-sink.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { lackOfPython, runPython } from "../../support/database/test-python.js";
import { useFolder } from "../../support/folder.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { storedRows } from "../../support/pipelines/stored-rows.js";

const types: Readonly<Record<string, ValueType>> = {
  id: "STRING",
  json: "JSON",
  block: "LONG",
  amount: "DECIMAL",
  ratio: "NUMERIC",
  share: "DOUBLE",
  is_large: "BOOLEAN",
  at: "TIMESTAMP",
  tags: "ARRAY<STRING>",
  dt: "STRING",
};
const columns: readonly RowColumn[] = Object.entries(types).map(([name, type]) => ({
  name,
  type,
  nullable: name !== "id" && name !== "dt",
}));

const full = ['{"a":1}', 7n, String(2n ** 256n - 1n), "0.5", 1.5, true, 1_700_000_000_000_000n, ["a", "b"]];
const empty = full.map(() => null);

function rowsOf(values: readonly (readonly RowValue[])[]): Rows {
  return {
    count: values.length,
    columns: columns.map((_, column) => values.map((row) => row[column] ?? null)),
  };
}

/** Rows as JSON has them, in order: 64-bit integers as numbers, and times in microseconds. */
function plain(rows: readonly object[]): unknown {
  const text = JSON.stringify(rows, function (this: Readonly<Record<string, unknown>>, key, value) {
    if (this[key] instanceof Date) return this[key].getTime() * 1_000;
    return typeof value === "bigint" ? Number(value) : value;
  });
  const read = JSON.parse(text) as readonly { readonly id: string }[];
  return read.toSorted((one, other) => one.id.localeCompare(other.id));
}

const folder = useFolder();
const read = [
  ["a", ...full, "2024-01-01"],
  ["b", ...empty, "2024-01-02"],
];
const stored = [
  ["c", ...full, "2024-01-02"],
  ["d", ...empty, "2024-01-03"],
];
const expected = plain(
  [...read, ...stored].map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))),
);

/** Writes a folder with windows of both writers, and one without rows. Reads it while another file is being written. */
async function written(name: string, partitions: readonly string[]): Promise<void> {
  const root = join(folder, name);
  const files = openTableFiles(root);
  const place = { name: "folder", setting: "path" };
  const options = { files, place, flow: "f", sink: "s", sources: ["transfers"], columns, partitions };
  const sink = await openFileSink({ ...options, blocksPerFile: 10 });
  const windows = [rowsOf(read), rowsOf([]), rowsOf(stored)];
  const engine = await onlySql.openEngine();
  await engine.createTable("transfers", columns);
  for (const [index, rows] of windows.entries()) {
    const [from, to] = [10 * index, 10 * index + 9];
    const ledger = ledgerEntry(from, to, { minus: noRows(columns.length), plus: rows });
    const batch = { source: "transfers", from, to, position: { next: to + 1, open: [] }, ledger };
    const replaced = noRows(columns.length);
    const operations = Array.from({ length: rows.count }, (): "i" => "i");
    const changes = { schema: { columns, key: ["id"] }, rows, operations, replaced, overwritten: 0 };
    if (index < 2) await sink.write({ ...batch, changes });
    else {
      const held = await storedRows(engine, folder, { name: "transfers", columns }, rows, ["id"]);
      expect(await sink.storedWriting?.write({ ...batch, stored: held }, () => undefined)).toBe(true);
    }
  }
  await engine.close();
  await sink.close();
}

/** Does something while a file of a folder is half written. */
async function during(name: string, work: () => Promise<void>): Promise<void> {
  const content = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100);
    await work();
  };
  const path = `transfers/${name === "plain" ? "" : "dt=2024-01-01/"}000000000030-000000000039.parquet`;
  const files = openTableFiles(join(folder, name));
  await files.write(path, content());
  await files.remove(path);
}

const tell = `
import json
def tell(frame):
    for name in frame.columns:
        if str(frame[name].dtype) == "category":
            frame[name] = frame[name].astype(str)
    return json.loads(frame.to_json(orient="records", date_format="epoch", date_unit="us"))
`;

beforeAll(async () => {
  await written("plain", []);
  await written("parted", ["dt"]);
});

describe.each([
  "plain",
  "parted",
])("readers of a %s folder of a file sink, also while a file is written", (name) => {
  it("DuckDB finds its rows", async () => {
    await during(name, async () => {
      const rows = await readWithDuckDb(join(folder, name, "transfers/**/*.parquet"), name === "parted");
      expect(plain(rows)).toEqual(expected);
    });
  });

  it("pandas and pyarrow find its rows, in the whole folder and in that of the source", async (context) => {
    const lack = lackOfPython("pandas", "pyarrow");
    if (lack !== undefined) return context.skip(lack);
    await during(name, async () => {
      const found = runPython(
        `${tell}
import pandas, pyarrow.dataset
frames = [f for p in ["${name}", "${name}/transfers"] for f in [
    pandas.read_parquet(p),
    pyarrow.dataset.dataset(p, partitioning="hive").to_table().to_pandas(),
]]
print(json.dumps([tell(frame) for frame in frames]))`,
        folder,
      );
      expect((found as readonly (readonly object[])[]).map(plain)).toEqual(Array(4).fill(expected));
    });
  });

  it("Spark finds its rows, with the types that the manual lists", async (context) => {
    const lack = lackOfPython("pyspark");
    if (lack !== undefined) return context.skip(lack);
    await during(name, async () => {
      const [rows, found] = runPython(
        `
import json
from pyspark.sql import SparkSession, functions as f
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
spark = builder.config("spark.sql.sources.partitionColumnTypeInference.enabled", "false").getOrCreate()
frame = spark.read.parquet("${name}/transfers")
rows = [row.asDict() for row in frame.withColumn("at", f.unix_micros("at")).collect()]
print(json.dumps([rows, dict(frame.dtypes)]))`,
        folder,
      ) as [readonly object[], Readonly<Record<string, string>>];
      expect(plain(rows)).toEqual(expected);
      for (const column of columns) expect(`\`${found[column.name]}\``).toBe(manual(column.type).spark);
    });
  });
});

/** What the manual lists for a type. */
function manual(type: ValueType): {
  readonly parquet: string;
  readonly duckdb: string;
  readonly spark: string;
} {
  const labels: Readonly<Record<ValueType, string>> = {
    STRING: "text",
    JSON: "JSON",
    LONG: "integer of 64 bits",
    DECIMAL: "integer of 256 bits",
    NUMERIC: "decimal number",
    DOUBLE: "floating-point number",
    BOOLEAN: "yes or no",
    TIMESTAMP: "time",
    "ARRAY<STRING>": "list of texts",
  };
  const lines = readFileSync("docs/pipeline-lakes.md", "utf8").split("\n");
  const rows = lines.map((line) => line.split("|").map((cell) => cell.trim()));
  const row = rows.find((cells) => cells.length === 8 && cells[1]?.split(", ").includes(labels[type]));
  return { parquet: row?.[2] ?? "", duckdb: row?.[3] ?? "", spark: row?.[4] ?? "" };
}

it("the manual lists the types of columns as files of both writers have them, and as DuckDB reads them", async () => {
  const { DuckDBInstance } = await loadDuckDb("Parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    for (const range of ["000000000000-000000000009", "000000000020-000000000029"]) {
      const file = join(folder, "plain/transfers", `${range}.parquet`);
      const ask = async (sql: string): Promise<readonly (readonly unknown[])[]> =>
        (await connection.runAndReadAll(sql)).getRowsJS();
      const kept = await ask(
        `SELECT if(name = 'element', 'tags', name), type || if(coalesce(converted_type, 'INT_64') = 'INT_64', '', ' (' || converted_type || ')') FROM parquet_schema('${file}') WHERE type IS NOT NULL`,
      );
      const seen = await ask(`DESCRIBE FROM read_parquet('${file}')`);
      for (const { name, type } of columns) {
        const { parquet, duckdb } = manual(type);
        const own = kept.find(([column]) => column === name)?.[1];
        expect([name, parquet.replace("`LIST` of ", "").replaceAll("`", "")]).toEqual([name, own]);
        expect([name, duckdb]).toEqual([name, `\`${seen.find(([column]) => column === name)?.[1]}\``]);
      }
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
