import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { present } from "../../../src/base/invariant.js";
import { type Contract, callOf, useAnvil } from "../../support/chain/anvil.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { lackOfPython, runPython } from "../../support/database/test-python.js";
import { useFolder } from "../../support/folder.js";
import { graphloom } from "../harness.js";
import { moverContract } from "./mover.js";

/** What the manual shows for a reader: the code below its name. */
function shown(reader: string): string {
  const page = readFileSync("docs/datasets.md", "utf8");
  const [, section = ""] = page.split("### Read them");
  const [, code] = new RegExp(`\\n${reader}[^\\n]*:\\n\\n\`\`\`\\w+\\n([^\`]*)\`\`\``).exec(section) ?? [];
  return present(code, `the manual shows nothing for ${reader}`);
}

const most = 2n ** 256n - 1n;
// So that the files are where the manual has them.
const anvil = useAnvil(["--chain-id", "1"]);
let mover: Contract;
const cwd = useFolder();
let rows: readonly Readonly<Record<string, unknown>>[];
/** Number of logs by contract, as the manual's queries tell it. */
let counts: readonly { readonly address: string; readonly logs: number }[];

beforeAll(async () => {
  mover = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  const other = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  const to = anvil().account(1);
  await anvil().inOneBlock([callOf(mover, "move", [to, most]), callOf(mover, "move", [to, 0n])]);
  await anvil().send(other, "move", [to, 1n]);
  // Windows without rows, and files of several days.
  await anvil().mine(10);
  const { timestamp = 0n } =
    (await anvil()
      .chain()
      .block(await anvil().blockNumber())) ?? {};
  await anvil().client.request("evm_setNextBlockTimestamp", [Number(timestamp) + 3 * 24 * 60 * 60]);
  await anvil().send(mover, "move", [to, 2n ** 64n]);
  await anvil().mine(300);
  writeFileSync(join(cwd, "abi.json"), JSON.stringify(moverContract.abi));
  const range = `--rpc ${anvil().url} --to-block 18 --blocks-per-file 3`;
  const decoding = `--contract-address ${mover.address} --abi abi.json`;
  for (const line of [`raw-logs ${range}`, `decoded-logs ${range} ${decoding}`]) {
    const { code, err } = await graphloom(cwd, `external-data sync ${line}`);
    expect(code, err).toBe(0);
  }
  rows = await readWithDuckDb(join(cwd, "data/ethereum/raw/logs/*/*/*.parquet"), true);
  counts = [
    { address: mover.address, logs: 3 },
    { address: other.address, logs: 1 },
  ];
  expect(rows.length).toBe(4);
  expect(new Set(rows.map(({ dt }) => dt)).size).toBe(2);
  const names = readdirSync(join(cwd, "data/ethereum/raw/logs"), { recursive: true, encoding: "utf8" });
  expect(names.filter((name) => name.endsWith(".parquet")).length).toBe(7);
});

/** Rows without their types of integers, as JSON has them. */
function plain(list: readonly Readonly<Record<string, unknown>>[]): unknown {
  return JSON.parse(JSON.stringify(list, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
}

describe("the manual's lines read the files", () => {
  it("DuckDB", async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    try {
      // Its paths are relative to where it was started.
      const read = await connection.runAndReadAll(shown("DuckDB").replaceAll("'data/", `'${cwd}/data/`));
      expect(plain(await read.getRowObjectsJS())).toEqual(counts);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });

  it("pyarrow and pandas from the folder, whole or of one day", (context) => {
    const lack = lackOfPython("pandas", "pyarrow");
    if (lack !== undefined) return context.skip(lack);
    const folder = join(cwd, "data/ethereum/raw/logs/v1.0.0");
    const [day] = rows.map(({ dt }) => dt);
    const script = `
import json, pandas, pyarrow.dataset as ds, pyarrow.parquet as pq
folder = ${JSON.stringify(folder)}
data = ds.dataset(folder, partitioning="hive")
tables = [data.to_table().to_pylist(), pq.read_table(folder).to_pylist(), pandas.read_parquet(folder).to_dict("records")]
day = [data.to_table(filter=ds.field("dt") == "${day}").to_pylist(), pandas.read_parquet(folder, filters=[("dt", "==", "${day}")]).to_dict("records")]
print(json.dumps([tables, day]))`;
    const [whole, ofDay] = runPython(script, cwd) as readonly (readonly unknown[])[];
    expect(whole).toEqual(Array(3).fill(plain(rows)));
    expect(ofDay).toEqual(Array(2).fill(plain(rows.filter(({ dt }) => dt === day))));
  });

  it("DuckDB reads the folder, with the day of each partition", async () => {
    const folder = join(cwd, "data/ethereum/raw/logs/v1.0.0");
    expect(plain(await readWithDuckDb(`${folder}/**/*.parquet`, true))).toEqual(plain(rows));
  });

  it("pandas", (context) => {
    const lack = lackOfPython("pandas", "pyarrow");
    if (lack !== undefined) return context.skip(lack);
    const tell = (name: string): string => `
import json
print(json.dumps(${name}.to_dict("records"), default=lambda value: value.tolist()))`;
    expect(runPython(shown("pandas") + tell("logs"), cwd)).toEqual(plain(rows));
    const decoded = shown("pandas").replaceAll("raw/logs", "decoded/logs") + tell("logs");
    const amounts = (runPython(decoded, cwd) as { event_params: readonly string[] }[]).map(
      ({ event_params: params }) => params[2],
    );
    expect(amounts).toEqual([`${most}`, "0", `${2n ** 64n}`]);
  });

  it("ClickHouse", (context) => {
    const lack = lackOfPython("chdb");
    if (lack !== undefined) return context.skip(lack);
    const ask = (sql: string): unknown =>
      runPython(`import chdb; print(chdb.query(${JSON.stringify(sql)}, "JSON"))`, join(cwd, "data"));
    const sql = shown("ClickHouse").replace(/;\s*$/, "");
    const { data } = ask(sql) as { data: readonly { address: string; logs: number | string }[] };
    expect(data.map(({ address, logs }) => ({ address, logs: Number(logs) }))).toEqual(counts);
    const from = present(/file\(.*?\)/.exec(sql)?.[0], "it reads files").replace("raw/logs", "decoded/logs");
    const values = ask(
      `SELECT event_params[3] AS amount, toTypeName(block_number) AS type, toString(dt) AS dt FROM ${from} ORDER BY block_number, log_index`,
    ) as { data: readonly object[] };
    const days = rows.flatMap(({ address, dt }) => (address === mover.address ? [dt] : []));
    expect(values.data).toEqual(
      [most, 0n, 2n ** 64n].map((amount, index) => ({ amount: `${amount}`, type: "Int64", dt: days[index] })),
    );
  });
});
