// Measures pipelines: erc20_transfers from an archive, through a filter in SQL, into PostgreSQL, ClickHouse and Parquet files,
// on two cores, against what a hand-written loop does with the same rows: COPY, a plain INSERT, and DuckDB's COPY TO. Then
// Ponder indexes the first transfers of the same chain from a node, into the same PostgreSQL or else into its PGlite.
// Run: npm run bench:flows [-- <rows> [<sink>]]; half a million rows by default. The archive stays in the folder of
// GRAPHLOOM_BENCH_ARCHIVE, if it is set. PostgreSQL is that of GRAPHLOOM_BENCH_POSTGRES, an address of an empty database.
// ROUNDS is how often, 3; PONDER is how many transfers Ponder indexes, 10,000, or 0 to leave it out.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { homedir, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { ArchivedChain } from "../dist/datasets/archive/archived-chain.js";
import { openArchive } from "../dist/datasets/archive/open-archive.js";
import { extract } from "../dist/datasets/extract/extract.js";
import { openArchiveFiles } from "../dist/machine/files/archive-files.js";
import { openClickHouse } from "../dist/pipelines/machine/clickhouse/open-clickhouse.js";
import { finalBlock } from "../dist/runtime/chain/final-block.js";
import { Patience } from "../dist/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../dist/runtime/chain/rpc/patient-chain.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { Verification } from "../dist/runtime/indexer/logs/verification.js";
import { world } from "./local-chain.mjs";
import { installPonder, runPonder } from "./ponder.mjs";
import { measure, median } from "./process.mjs";

const [rows = "500000", only] = process.argv.slice(2);
const wanted = Number(rows);
const rounds = Number(process.env.ROUNDS ?? 3);
const postgres = process.env.GRAPHLOOM_BENCH_POSTGRES;
const given = process.env.GRAPHLOOM_BENCH_ARCHIVE;
const peerTransfers = Number(process.env.PONDER ?? 10_000);
/** Rows per second that are wanted. */
const goals = { postgres: 50_000, parquet: 200_000 };
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const self = fileURLToPath(import.meta.url);
const psql = ["/usr/lib/postgresql/15/bin/psql", "/usr/bin/psql"].find((path) => existsSync(path)) ?? "psql";
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const python = join(cache, "graphloom-test/python/bin/python3");

/** Keeps nine of ten transfers, and computes a column. */
const query =
  "SELECT id, address, sender, recipient, amount, block_number, block_timestamp, transaction_hash, log_index, amount > 1000 AS is_large FROM transfers WHERE sender <> recipient AND amount > 0";

async function openChain(folder, last, client) {
  const { archive } = await openArchive(openArchiveFiles(folder), "mainnet", client);
  const chain = new ArchivedChain(createRpcChain(client), archive, {
    finalOf: (head) => finalBlock(client, head, "1"),
    to: last,
  });
  const patience = new Patience({ limit: 0, pause: async () => {}, chance: () => 0.5 });
  return {
    archived: chain,
    source: {
      chain: createPatientChain(chain, patience),
      verification: new Verification("bloom"),
      archive: chain,
    },
  };
}

/** Fills an archive in a process of its own, since the played node takes memory. */
async function fillArchive(folder) {
  const { logsUpTo, playedWorld } = await import("./played-node.mjs");
  let last = Math.ceil(wanted / 200);
  while (logsUpTo(last) < wanted) last += 1;
  const client = createRpcClient("http://played", playedWorld(world, last + 64));
  const { archived, source } = await openChain(folder, last, client);
  await archived.head();
  let found = 0;
  const what = { kind: "erc20_transfers", from: 0, to: last };
  for await (const batch of extract(source, what, last + 64)) found += batch.rows.length;
  await archived.flush();
  process.stdout.write(JSON.stringify({ last, found }));
}

const sinks = {
  blackhole: "type: blackhole",
  parquet: "type: file, path: out, finalized: true",
  postgres: "type: postgres, table: transfers, schema: bench_flows, secret_name: PG",
  clickhouse: "type: clickhouse, table: transfers, database: bench_flows, secret_name: CH",
};

/** Runs the pipeline into a sink, as its users do; seconds, CPU seconds and megabytes of the process. */
function runPipeline({ sink, archive, last, secrets, out }) {
  const yaml = `
name: bench
job: true
sources: { transfers: { type: dataset, dataset_name: ethereum.erc20_transfers, start_at: earliest, end_block: ${last} } }
transforms: { chosen: { sql: "${query}", primary_key: id } }
sinks: { out: { from: chosen, ${sinks[sink]} } }
`;
  writeFileSync(join(out, "flow.yaml"), yaml);
  const profile = process.env.PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${process.env.PROFILE}`] : [];
  const words = ["pipeline", "run", "flow.yaml", "--offline", "--archive", archive];
  const secret = { GRAPHLOOM_SECRET_PG: secrets.PG ?? "", GRAPHLOOM_SECRET_CH: secrets.CH ?? "" };
  return measure(out, [...profile, command, ...words], secret);
}

/** What a hand-written loop does with the rows of the Parquet files that the pipeline has written. */
const limits = {
  postgres: async (files, { PG }) => {
    const rows = await csvOf(files);
    const run = (sql, input) => execFileSync(psql, [PG, "-qc", sql], { input, maxBuffer: 2 ** 31 });
    const columns =
      "id text primary key, address text, sender text, recipient text, amount numeric(78,0), block_number bigint, block_timestamp bigint, transaction_hash text, log_index bigint, is_large boolean";
    run(`drop table if exists copied; create table copied (${columns})`);
    const start = performance.now();
    run("copy copied from stdin csv", rows);
    return (performance.now() - start) / 1000;
  },
  clickhouse: async (files, { CH }) => {
    const rows = await csvOf(files);
    const server = await openClickHouse({ ...JSON.parse(CH), database: "default" });
    const columns =
      "id String, address String, sender String, recipient String, amount UInt256, block_number Int64, block_timestamp Int64, transaction_hash String, log_index Int64, is_large Bool";
    await server.run(`CREATE OR REPLACE TABLE copied (${columns}) ENGINE = MergeTree ORDER BY id`);
    const start = performance.now();
    await server.insert("INSERT INTO copied FORMAT CSV", [Buffer.from(rows)], "bench");
    const seconds = (performance.now() - start) / 1000;
    await server.close();
    return seconds;
  },
  parquet: async (files, _, out) => {
    const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
    const connection = await instance.connect();
    await connection.run(`create table rows as select * from read_parquet('${files}')`);
    const start = performance.now();
    await connection.run(`copy rows to '${join(out, "copied.parquet")}' (format parquet)`);
    return (performance.now() - start) / 1000;
  },
};

async function csvOf(files) {
  const path = join(tmpdir(), `graphloom-bench-${process.pid}.csv`);
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(
    `copy (select * from read_parquet('${files}')) to '${path}' (format csv, header false)`,
  );
  const text = readFileSync(path);
  rmSync(path);
  return text;
}

/** The engine of ClickHouse behind its HTTP interface, as the tests have it. */
async function startClickHouse(folder) {
  const script = fileURLToPath(new URL("../test/support/servers/clickhouse-http.py", import.meta.url));
  const child = spawn(python, [script, folder, "bench", "bench"], { stdio: ["pipe", "pipe", "inherit"] });
  const port = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  const secret = { url: `http://127.0.0.1:${port}`, username: "bench", password: "bench" };
  return { secret: JSON.stringify(secret), stop: () => child.kill("SIGKILL") };
}

/** Fills the archive in a process of its own; how far it goes. */
function filled(archive) {
  const note = join(archive, `bench-${wanted}.json`);
  if (!existsSync(note)) {
    mkdirSync(archive, { recursive: true });
    writeFileSync(note, execFileSync(process.execPath, [self, rows, "fill", archive]));
  }
  return JSON.parse(readFileSync(note, "utf8"));
}

function emptyPostgres(address) {
  const sql = "drop schema if exists bench_flows cascade; drop schema if exists graphloom_flows cascade";
  execFileSync(psql, [address, "-qc", sql], { stdio: ["ignore", "ignore", "ignore"] });
}

const transferAbi = [
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "value", type: "uint256", indexed: false },
    ],
  },
];

/**
 * Indexes the first transfers of the chain that the archive has been filled from. Ponder has no archive, so it asks a node:
 * the one that played the chain, in this process.
 * @returns what it has found, as `runPonder` tells it, and how many transfers there were
 */
async function runPeer() {
  const { logsUpTo, playedWorld } = await import("./played-node.mjs");
  const most = Math.min(peerTransfers, wanted);
  let last = 0;
  while (logsUpTo(last) < most) last += 1;
  // Ponder leaves the newest final block for later.
  const { fetch: answer } = playedWorld(world, last + 300);
  const server = createServer(async (request, response) => {
    const answered = await answer("", { body: await text(request) });
    response.setHeader("content-type", "application/json");
    response.end(await answered.text());
  });
  const port = await new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(server.address().port)),
  );
  try {
    if (postgres) {
      const sql = "drop schema if exists bench cascade; drop schema if exists ponder_sync cascade";
      execFileSync(psql, [postgres, "-qc", sql], { stdio: ["ignore", "ignore", "ignore"] });
    }
    const chain = { url: `http://127.0.0.1:${port}`, abi: transferAbi, last, chainId: 1 };
    return { transfers: logsUpTo(last), ...(await runPonder(chain, logsUpTo(last), postgres)) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Prints what Ponder does. @param rate rows per second of ours into the same kind of database, if it was measured */
async function comparePeer(rate) {
  const missing = installPonder();
  if (missing) return void console.log(`without Ponder: ${missing}`);
  try {
    const { transfers, seconds, cpu, megabytes } = await runPeer();
    const theirs = Math.round(transfers / seconds);
    const parts = [
      `Ponder, ${transfers} transfers from a node into ${postgres ? "PostgreSQL" : "PGlite"}: ${theirs} rows/s, ${((cpu / transfers) * 1e6).toFixed(0)} µs of CPU a row, ${megabytes} MB`,
      "it has no archive, decodes the logs itself, and keeps eight columns of every transfer, unfiltered",
    ];
    if (rate) parts.push(`ours into PostgreSQL is ${(rate / theirs).toFixed(1)} times as fast`);
    console.log(parts.join("; "));
  } catch (error) {
    console.log(`Ponder failed: ${error.message}`);
  }
}

async function main() {
  const loadBefore = loadavg()[0].toFixed(1);
  const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
  const archive = given ?? join(folder, "archive");
  const clickHouse = existsSync(python) ? await startClickHouse(join(folder, "clickhouse")) : undefined;
  const secrets = { PG: postgres, CH: clickHouse?.secret };
  try {
    const { last, found } = filled(archive);
    console.log(`${found} transfers in ${last + 1} blocks; the CPU time is that of graphloom's process`);
    const files = join(folder, "kept.parquet");
    let passed;
    const rates = {};
    for (const sink of Object.keys(sinks)) {
      if (only !== undefined && only !== sink && sink !== "parquet") continue;
      if (sink === "postgres" && !postgres) continue;
      if (sink === "clickhouse" && !clickHouse) continue;
      const [ours, copied] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        const out = mkdtempSync(join(folder, "out-"));
        if (sink === "postgres") emptyPostgres(postgres);
        if (sink === "clickhouse") {
          const { url } = JSON.parse(secrets.CH);
          const headers = { authorization: `Basic ${btoa("bench:bench")}` };
          await fetch(url, { method: "POST", headers, body: "DROP DATABASE IF EXISTS bench_flows" });
        }
        ours.push(runPipeline({ sink, archive, last, secrets, out }));
        if (sink === "parquet" && round === 0) {
          const connection = await (await DuckDBInstance.create(":memory:")).connect();
          passed = Number(
            (
              await connection.runAndReadAll(
                `select count(*) from read_parquet('${join(out, "out/*/*.parquet")}')`,
              )
            ).getRows()[0][0],
          );
          await connection.run(
            `copy (select * from read_parquet('${join(out, "out/*/*.parquet")}')) to '${files}' (format parquet)`,
          );
        }
        if (existsSync(files) && limits[sink]) copied.push(await limits[sink](files, secrets, out));
        rmSync(out, { recursive: true, force: true });
      }
      const written = passed ?? found;
      const per = (list) => Math.round(written / median(list));
      const rate = per(ours.map(({ seconds }) => seconds));
      rates[sink] = rate;
      const cpu = median(ours.map(({ cpu: one }) => one));
      const megabytes = Math.round(median(ours.map((one) => one.megabytes)));
      const parts = [
        `${sink}: ${rate} rows/s, ${((cpu / written) * 1e6).toFixed(1)} µs of CPU a row, ${megabytes} MB`,
      ];
      if (copied.length > 0) {
        const limit = per(copied);
        parts.push(
          `by hand ${limit} rows/s without reading and filtering, ${(rate / limit).toFixed(3)} of it`,
        );
      }
      if (goals[sink]) parts.push(`wanted ${goals[sink]}: ${rate >= goals[sink] ? "ok" : "MISSED"}`);
      console.log(parts.join("; "));
    }
    if (peerTransfers > 0 && (only === undefined || only === "ponder")) await comparePeer(rates.postgres);
    console.log(`load ${loadBefore} to ${loadavg()[0].toFixed(1)}`);
  } finally {
    clickHouse?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const [, , , part, folder] = process.argv;
if (part === "fill") await fillArchive(folder);
else await main();
process.exit(0);
