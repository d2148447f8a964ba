import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { present } from "../../../src/base/invariant.js";
import { extract } from "../../../src/datasets/extract/extract.js";
import { readParquet } from "../../../src/datasets/parquet/read-parquet.js";
import { writeParquet } from "../../../src/datasets/parquet/write-parquet.js";
import { LogDecoder } from "../../../src/datasets/rows/decoded-rows.js";
import { aboutWindow } from "../../../src/datasets/sync/window-pieces.js";
import {
  type DatasetKind,
  type DatasetRow,
  datasetAt,
  parquetColumns,
} from "../../../src/datasets/tables/dataset.js";
import { datasets } from "../../../src/datasets/tables/datasets.js";
import { Patience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import { Verification } from "../../../src/runtime/indexer/logs/verification.js";
import { type Contract, callOf, useAnvil } from "../../support/chain/anvil.js";
import { NodeError, startFaultyNode } from "../../support/chain/faulty-node.js";
import { rawBlock } from "../../support/chain/raw-chain.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { graphloom, workplace } from "../harness.js";
import { moverContract } from "./mover.js";

const most = 2n ** 256n - 1n;
const anvil = useAnvil();
let mover: Contract;
let last: number;

beforeAll(async () => {
  mover = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  const to = anvil().account(1);
  await anvil().inOneBlock([
    callOf(mover, "move", [to, most], { value: 10n ** 21n }),
    callOf(mover, "move", [to, 0n]),
  ]);
  await anvil().mine(6);
  await anvil().send(mover, "named", ["grüße,\n", -(2n ** 255n), ["0x01020304", "0xffffffff"]]);
  await anvil().mine(3);
  last = await anvil().blockNumber();
});

type Synced = "raw_blocks" | "raw_logs" | "raw_transactions" | "decoded_logs";
const places: Readonly<Record<Synced, string>> = {
  raw_blocks: "raw/blocks",
  raw_logs: "raw/logs",
  raw_transactions: "raw/transactions",
  decoded_logs: "decoded/logs",
};

function lineOf(kind: Synced, more = ""): string {
  const decoding = kind === "decoded_logs" ? `--contract-address ${mover.address} --abi abi.json` : "";
  return `external-data sync ${kind.replace("_", "-")} --network anvil --rpc ${anvil().url} --blocks-per-file 4 ${decoding} ${more}`;
}

function cwdWithAbi(): string {
  const cwd = workplace();
  writeFileSync(join(cwd, "abi.json"), JSON.stringify(moverContract.abi));
  return cwd;
}

function folderOf(cwd: string, kind: Synced): string {
  return join(cwd, "data", "anvil", places[kind], `v${datasets[kind].version}`);
}

/** Names of the files, without their days. */
function filesOf(cwd: string, kind: Synced): readonly string[] {
  return readdirSync(folderOf(cwd, kind), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".parquet"))
    .map((path) => path.replace(/.*\//, "").replace(/\b0+(?=\d)/g, ""))
    .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
}

async function extracted(kind: DatasetKind, to: number): Promise<readonly DatasetRow[]> {
  const patience = new Patience({
    limit: 0,
    pause: async () => undefined,
    chance: () => 0.5,
    signal: undefined,
  });
  const source = {
    chain: createPatientChain(createRpcChain(anvil().client), patience),
    verification: new Verification("bloom"),
  };
  const decoder = new LogDecoder([{ abi: moverContract.abi as readonly object[] }]);
  const rows: DatasetRow[] = [];
  for await (const batch of extract(source, { kind, from: 0, to, decoder }, last)) rows.push(...batch.rows);
  return rows;
}

async function rowsIn(cwd: string, kind: Synced): Promise<readonly DatasetRow[]> {
  const rows = await readWithDuckDb(join(folderOf(cwd, kind), "*", "*.parquet"), true);
  return rows.map(({ dt, ...row }) => {
    expect(dt).toMatch(/^\d{4}-\d\d-\d\d$/);
    return row as DatasetRow;
  });
}

async function readByHyparquet(cwd: string, kind: Synced): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  const names = readdirSync(folderOf(cwd, kind), { recursive: true, encoding: "utf8" });
  for (const name of names.filter((path) => path.endsWith(".parquet")).sort()) {
    const columns = parquetColumns(datasets[kind]);
    const values = await readParquet(readFileSync(join(folderOf(cwd, kind), name)), columns);
    for (const [row] of (values.id ?? []).entries())
      rows.push(
        Object.fromEntries(columns.map(({ name: column }) => [column, values[column]?.[row] ?? null])),
      );
  }
  return rows;
}

const kinds = Object.keys(places) as readonly Synced[];

describe("external-data sync", () => {
  it.each(kinds)("writes files that DuckDB and hyparquet read as the rows of %s", async (kind) => {
    const cwd = cwdWithAbi();
    const { code, out, err } = await graphloom(cwd, lineOf(kind));
    expect(code, err).toBe(0);
    const rows = await extracted(kind, last);
    expect(rows.length).toBeGreaterThan(1);
    expect(await rowsIn(cwd, kind)).toEqual(rows);
    expect(await readByHyparquet(cwd, kind)).toEqual(rows);
    expect(out).toMatch(new RegExp(`^anvil ${kind}, blocks 0 to ${last}: ${rows.length} rows in `));
    expect(filesOf(cwd, kind)).toEqual(["0-3.parquet", "4-7.parquet", "8-11.parquet", `12-${last}.parquet`]);
  });

  it("keeps 256-bit values whole", async () => {
    const cwd = cwdWithAbi();
    await graphloom(cwd, lineOf("decoded_logs"));
    const params = (await rowsIn(cwd, "decoded_logs")).map((row) => row.event_params as readonly string[]);
    expect(params[0]?.[2]).toBe(`${most}`);
    expect(params.at(-1)?.slice(1)).toEqual(["grüße,\n", `${-(2n ** 255n)}`, '["0x01020304","0xffffffff"]']);
    await graphloom(cwd, lineOf("raw_transactions"));
    expect((await rowsIn(cwd, "raw_transactions")).map(({ value }) => value)).toContain(`${10n ** 21n}`);
  });

  it("reports logs that do not match the ABI", async () => {
    const cwd = cwdWithAbi();
    const unindexed = JSON.stringify(moverContract.abi).replaceAll('"indexed":true', '"indexed":false');
    writeFileSync(join(cwd, "abi.json"), unindexed);
    const { code, out, err } = await graphloom(cwd, lineOf("decoded_logs"));
    expect(code, err).toBe(0);
    expect(out).toMatch(
      /: 0 rows in .*\nSome logs do not match their event in the ABI and were left out, such as/s,
    );
  });

  it("continues, and replaces a shorter last file", async () => {
    const cwd = workplace();
    await graphloom(cwd, lineOf("raw_blocks", "--to-block 5"));
    expect(filesOf(cwd, "raw_blocks")).toEqual(["0-3.parquet", "4-5.parquet"]);
    const second = await graphloom(cwd, lineOf("raw_blocks"));
    expect(second.code, second.err).toBe(0);
    expect(second.out).toContain("1 file of the range already existed\n");
    expect(await rowsIn(cwd, "raw_blocks")).toEqual(await extracted("raw_blocks", last));
    const third = await graphloom(cwd, lineOf("raw_blocks"));
    expect(third.out).toContain(": 0 rows in 0 files, 0 KB");
  });

  it("records how each file was proved, and verify shows it", async () => {
    const cwd = workplace();
    await graphloom(cwd, lineOf("raw_transactions", "--to-block 5"));
    await graphloom(cwd, lineOf("raw_transactions"));
    await graphloom(cwd, lineOf("raw_logs", `--contract-address ${mover.address}`));
    const folder = folderOf(cwd, "raw_transactions");
    const marker = join(folder, "_graphloom.json");
    const { proofs, ...old } = JSON.parse(readFileSync(marker, "utf8")) as { readonly proofs: unknown };
    expect(proofs).toEqual([
      { from: 0, to: last, proved: ["header", "transactions", "receipts"], believed: {} },
    ]);
    const shown = await graphloom(cwd, "external-data verify");
    expect([shown.code, shown.err]).toEqual([0, ""]);
    expect(shown.out).toContain(
      `raw_transactions of chain 31337: 4 files, 4 rows\n  blocks 0 to ${last}: proved: header, transactions, receipts\n`,
    );
    expect(shown.out).toContain(
      "proved: header; believed: logs (bloom filters do not cover the data of logs)",
    );
    // A folder of an earlier version has no record, and gets one for new files only.
    writeFileSync(marker, JSON.stringify(old));
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    writeFileSync(join(folder, names.find((name) => name.endsWith("-0000000003.parquet")) ?? ""), "");
    const damaged = await graphloom(cwd, "external-data verify");
    expect(damaged.code).toBe(1);
    expect(damaged.out).toContain(`  blocks 4 to ${last}: not recorded\n  fault: `);
    expect(damaged.err).toContain("Delete the files that are named");
    await graphloom(cwd, lineOf("raw_transactions"));
    const { folders } = JSON.parse((await graphloom(cwd, "external-data verify --output json")).out) as {
      readonly folders: readonly { readonly dataset: string; readonly proofs: unknown }[];
    };
    expect(folders.find(({ dataset }) => dataset === "raw_transactions")?.proofs).toEqual([
      { from: 0, to: 3, proved: ["header", "transactions", "receipts"], believed: {} },
      { from: 4, to: last, recorded: false },
    ]);
  });

  it("lets verify fail for a folder without its files", async () => {
    const cwd = workplace();
    const shown = await graphloom(cwd, "external-data verify --out dta");
    expect([shown.code, shown.out]).toEqual([1, ""]);
    expect(shown.err).toContain(`no files of external-data sync below ${join(cwd, "dta")}`);
    const forPrograms = await graphloom(cwd, "external-data verify --out dta --output json");
    expect(forPrograms.code).toBe(1);
    expect(JSON.parse(forPrograms.out)).toMatchObject({ error: { exit_code: 1 } });
  });

  it("ends when it is interrupted, and continues", async () => {
    const cwd = workplace();
    const end = new AbortController();
    const line = lineOf("raw_blocks").replace("--blocks-per-file 4", "--blocks-per-file 1");
    const watching = setInterval(() => {
      if (existsSync(folderOf(cwd, "raw_blocks")) && filesOf(cwd, "raw_blocks").length > 1) end.abort();
    }, 1);
    const cut = await graphloom(cwd, line, { signal: end.signal });
    clearInterval(watching);
    expect(cut.code, cut.err).toBe(130);
    expect(filesOf(cwd, "raw_blocks").length).toBeLessThan(last + 1);
    expect(cut.out).toContain("still missing. The same command continues.\n");
    expect((await graphloom(cwd, line)).code).toBe(0);
    expect(await rowsIn(cwd, "raw_blocks")).toEqual(await extracted("raw_blocks", last));
  });

  it("rewrites an incomplete file", async () => {
    const cwd = workplace();
    await graphloom(cwd, lineOf("raw_blocks"));
    const [name = ""] = readdirSync(folderOf(cwd, "raw_blocks"), {
      recursive: true,
      encoding: "utf8",
    }).filter((path) => path.endsWith(".parquet"));
    const path = join(folderOf(cwd, "raw_blocks"), name);
    truncateSync(path, statSync(path).size - 1);
    const { code, err } = await graphloom(cwd, lineOf("raw_blocks"));
    expect([code, err]).toEqual([0, expect.stringContaining(`${name} is damaged; writing it again`)]);
    expect(await rowsIn(cwd, "raw_blocks")).toEqual(await extracted("raw_blocks", last));
  });

  it("reads only from an archive", async () => {
    const cwd = workplace();
    await anvil().mine(400);
    const first = await graphloom(cwd, lineOf("raw_blocks", `--to-block ${last} --archive kept --out one`));
    expect(first.code, first.err).toBe(0);
    const line = `external-data sync raw-blocks --network anvil --to-block ${last} --archive kept --offline`;
    const { code, err, out } = await graphloom(cwd, line);
    expect(code, err).toBe(0);
    expect(out).toContain("with 0 requests to the node");
    expect(await rowsIn(cwd, "raw_blocks")).toEqual(await extracted("raw_blocks", last));
  });

  it("asks for the contract at a terminal", async () => {
    const cwd = cwdWithAbi();
    const line = lineOf("decoded_logs", `--to-block ${last}`).replace(/--contract-address \S+/, "");
    const answered = await graphloom(cwd, line, { ask: async () => mover.address });
    expect(answered.code, answered.err).toBe(0);
    const unasked = await graphloom(cwd, line);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining("pass --contract-address 0x…")]);
  });
});

describe("external-data sync refuses", () => {
  it.each([
    ["--from-block 5 --to-block 4", "--to-block 4 is before --from-block 5"],
    ["--network etherium", '--network: unknown network "etherium". Did you mean ethereum?'],
    ["--network ethereum", "--network ethereum is chain 1, but the node serves chain 31337"],
    ["--to-block 99999", "--to-block 99999 is after the newest final block"],
    ["--from-block 99999", "--from-block 99999 is after the newest final block"],
    ["--blocks-per-file 0", "--blocks-per-file must be a whole number, 1 or more"],
    ["--rpc base=http://127.0.0.1:1", '--rpc: "base" is not the network'],
    ["--rpc ftp://127.0.0.1", "must start with http:// or https://"],
    ["--archive none --offline", 'the archive has nothing of the network "anvil"'],
  ])("raw-blocks %s", async (options, why) => {
    const given = options.includes("--rpc") ? options : `--rpc ${anvil().url} ${options}`;
    const network = options.includes("--network") ? "" : "--network anvil";
    const { code, err } = await graphloom(workplace(), `external-data sync raw-blocks ${network} ${given}`);
    expect([code > 1, err]).toEqual([true, expect.stringContaining(why)]);
  });

  it("a node that does not say which block is final, on a chain whose nodes do", async () => {
    const node = await startFaultyNode(({ method, params: [tag] }) => {
      if (method === "eth_chainId") return "0x1";
      if (tag === "finalized") throw new NodeError(-39001, "Unknown block");
      return rawBlock(tag === "latest" ? 1000 : Number(tag));
    });
    onTestFinished(() => node.stop());
    const cwd = workplace();
    const { code, err } = await graphloom(cwd, `external-data sync raw-blocks --rpc ${node.url}`);
    expect([code, err]).toEqual([3, expect.stringContaining("the node does not say which block is final")]);
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });

  it.each([
    ["--contract-address 0x12", '--contract-address: "0x12" is not an address'],
    ["--contract-address MOVER", "decoded-logs requires an ABI"],
    ["--contract-address MOVER --abi missing.json", "--abi: missing.json does not exist"],
    ["--contract-address MOVER --abi empty.json", "--abi: empty.json has no events to decode"],
    [
      `--contract-address MOVER --abi 0x${"1".repeat(40)}=abi.json`,
      `--abi: 0x${"1".repeat(40)} is not the contract of --contract-address`,
    ],
    ["--contract-address MOVER --abi 0x12=abi.json", '--abi: "0x12" is not an address'],
  ])("decoded-logs %s", async (options, why) => {
    const cwd = cwdWithAbi();
    const [named] = (moverContract.abi as readonly { readonly type: string }[]).filter(
      ({ type }) => type === "function",
    );
    writeFileSync(join(cwd, "empty.json"), JSON.stringify([named]));
    const line = `external-data sync decoded-logs --network anvil --rpc ${anvil().url} ${options.replace("MOVER", mover.address)}`;
    const { code, err } = await graphloom(cwd, line);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  it("files without a valid _graphloom.json to describe them, and verify refuses them too", async () => {
    const cwd = workplace();
    await graphloom(cwd, lineOf("raw_blocks"));
    const folder = folderOf(cwd, "raw_blocks");
    const marker = join(folder, "_graphloom.json");
    writeFileSync(marker, "{");
    const remedy = "Empty the folder, or move it away, before you run external-data sync again";
    const verified = await graphloom(cwd, "external-data verify");
    expect([verified.code, verified.err]).toEqual([1, ""]);
    expect(verified.out).toContain(remedy);
    const synced = await graphloom(cwd, lineOf("raw_blocks"));
    expect([synced.code, synced.err]).toEqual([1, expect.stringContaining(remedy)]);
    rmSync(marker);
    const without = await graphloom(cwd, lineOf("raw_blocks"));
    expect([without.code, without.err]).toEqual([
      1,
      expect.stringContaining(`no _graphloom.json that says what they hold. ${remedy}`),
    ]);
    rmSync(folder, { recursive: true });
    expect((await graphloom(cwd, lineOf("raw_blocks"))).code).toBe(0);
  });

  it("a folder of an earlier version is checked and continued, and its marker is renamed", async () => {
    const cwd = workplace();
    await graphloom(cwd, lineOf("raw_blocks", "--to-block 5"));
    const folder = folderOf(cwd, "raw_blocks");
    const [now, former] = [join(folder, "_graphloom.json"), join(folder, "graphloom.json")];
    renameSync(now, former);
    // Its files have the day as a column, and lack the columns added later.
    const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith("-0000000003.parquet"),
    );
    const file = join(folder, present(name, "it has the first file"));
    const columns = parquetColumns(datasetAt(datasets.raw_blocks));
    const values = await readParquet(readFileSync(file), columns);
    const day = { name: "dt", type: "string" } as const;
    const about = aboutWindow("raw_blocks", { from: 0, to: 3 });
    writeFileSync(
      file,
      writeParquet([...columns, day], { ...values, dt: Array(4).fill("2023-11-14") }, about),
    );
    const before = await graphloom(cwd, "external-data verify");
    expect([before.code, before.out]).toEqual([
      0,
      expect.stringContaining("raw_blocks of chain 31337: 2 files"),
    ]);
    const { code, out } = await graphloom(cwd, lineOf("raw_blocks", `--to-block ${last}`));
    expect([code, out]).toEqual([0, expect.stringContaining("1 file of the range already existed")]);
    expect([existsSync(former), existsSync(now)]).toEqual([false, true]);
    const after = await graphloom(cwd, "external-data verify");
    expect([after.code, after.out]).toEqual([
      0,
      expect.stringContaining(`  blocks 0 to ${last}: proved: header`),
    ]);
    // Readers take the columns of the first file.
    const known = (await extracted("raw_blocks", last)).map((row) =>
      Object.fromEntries(columns.map(({ name: column }) => [column, row[column]])),
    );
    expect(await rowsIn(cwd, "raw_blocks")).toEqual(known);
    // A crash between the two writes leaves both.
    writeFileSync(former, readFileSync(now));
    expect((await graphloom(cwd, "external-data verify")).out).toBe(after.out);
    expect((await graphloom(cwd, lineOf("raw_blocks", `--to-block ${last}`))).code).toBe(0);
    expect(existsSync(former)).toBe(false);
  });

  it("a folder with files of other programs, of a different filter or of different windows", async () => {
    const cwd = cwdWithAbi();
    const folder = folderOf(cwd, "raw_blocks");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "thesis.txt"), "mine");
    const foreign = await graphloom(cwd, lineOf("raw_blocks"));
    expect([foreign.code, foreign.err]).toEqual([
      1,
      expect.stringContaining("it has files that graphloom did not write, such as thesis.txt"),
    ]);
    expect(readdirSync(folder)).toEqual(["thesis.txt"]);

    await graphloom(cwd, lineOf("raw_logs", `--to-block ${last}`));
    const filtered = await graphloom(cwd, lineOf("raw_logs", `--contract-address ${mover.address}`));
    expect([filtered.code, filtered.err]).toEqual([
      1,
      expect.stringContaining(`it holds logs of all contracts, not of ${mover.address}`),
    ]);
    const wider = await graphloom(cwd, lineOf("raw_logs").replace("file 4", "file 5"));
    expect([wider.code, wider.err]).toEqual([1, expect.stringContaining("have 4 blocks each, not 5")]);

    const marker = join(folderOf(cwd, "raw_logs"), "_graphloom.json");
    writeFileSync(marker, readFileSync(marker, "utf8").replace('"31337"', '"1"'));
    const chained = await graphloom(cwd, lineOf("raw_logs"));
    expect([chained.code, chained.err]).toEqual([
      1,
      expect.stringContaining("it holds chain 1, but the node serves chain 31337"),
    ]);
  });
});
