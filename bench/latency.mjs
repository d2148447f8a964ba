// Measures how long a row takes from the block to the sink: a pipeline follows the head of a local chain, on which blocks with
// many transfers are mined, and writes them into PostgreSQL. Then Ponder does the same.
// Run: npm run bench:latency [-- <seconds> [<rows per second>]]; 60 and 1,000 by default. A block is mined each second.
// PostgreSQL is that of GRAPHLOOM_BENCH_POSTGRES, an address of an empty database, or else a server that this starts. Ponder is
// left out if it cannot be installed; GRAPHLOOM_BENCH_PONDER names its folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Interface } from "ethers";
import pg from "pg";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { postgresPrograms, startPostgres } from "./disposable-postgres.mjs";
import { installPonder, startPonder } from "./ponder.mjs";
import { compileToken, fill, startAnvil, world } from "./transfers.mjs";

const seconds = Number(process.argv[2] ?? 60);
const rate = Number(process.argv[3] ?? 1_000);
const perTransaction = 50;
/** Blocks that are not counted, while code is compiled and connections open. */
const warmUp = 10;
/** Milliseconds between two looks at the table. */
const precision = 4;
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** A door to the node that notes when an answer first tells of each block. */
async function openDoor(url) {
  const seen = new Map();
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const headers = { "content-type": "application/json" };
    const answer = await (await fetch(url, { method: "POST", headers, body })).text();
    const now = performance.now();
    for (const [, number] of answer.matchAll(/"(?:number|result)":"(0x[0-9a-f]{1,8})"/g))
      if (!seen.has(Number(number))) seen.set(Number(number), now);
    response.writeHead(200, headers).end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => server.close() };
}

/** Mines a block with transfers each second. @returns when each block was there */
async function mine(client, address, data, blocks) {
  const [from] = await client.request("eth_accounts", []);
  const made = new Map();
  let next = performance.now();
  for (let block = 0; block < blocks; block += 1) {
    for (let sent = 0; sent < rate; sent += perTransaction)
      await client.request("eth_sendTransaction", [{ from, to: address, data, gas: "0x1000000" }]);
    next = Math.max(next + 1_000, performance.now());
    await sleep(next - performance.now());
    await client.request("evm_mine", []);
    const now = performance.now();
    made.set(Number(await client.request("eth_blockNumber", [])), now);
  }
  return made;
}

/** Notes when the rows of each block after one are there. */
function watch(database, table, column, after) {
  const found = new Map();
  const ended = new AbortController();
  const looking = (async () => {
    const client = new pg.Client(database);
    await client.connect();
    let last = after;
    while (!ended.signal.aborted) {
      const { rows } = await client.query(
        `select ${column}::bigint as block, count(*) as rows from ${table} where ${column} > $1 group by 1 order by 1`,
        [last],
      );
      const now = performance.now();
      for (const { block, rows: count } of rows) {
        // Rows of one block may come in parts.
        if (Number(count) < rate) break;
        found.set(Number(block), now);
        last = Number(block);
      }
      await sleep(precision);
    }
    await client.end();
  })();
  const stop = () => {
    ended.abort();
    return looking;
  };
  return { found, stop };
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const inWords = (list) => {
  const sorted = list.toSorted((a, b) => a - b);
  return `p50 ${Math.round(percentile(sorted, 0.5))} ms, p99 ${Math.round(percentile(sorted, 0.99))} ms`;
};

/** Runs a follower while blocks are mined. @param start starts it on the door, and resolves once it follows the head */
async function measure(name, { client, anvil, address, data, database }, start, table, column) {
  const door = await openDoor(anvil.url);
  const child = await start(door.url);
  const head = Number(await client.request("eth_blockNumber", []));
  const { found, stop } = watch(database, table, column, head);
  const made = await mine(client, address, data, warmUp + seconds);
  for (let waited = 0; found.size < made.size && waited < 200; waited += 1) await sleep(50);
  await stop();
  child.kill("SIGKILL");
  door.close();
  const blocks = [...made.keys()].slice(warmUp);
  const lacking = blocks.filter((block) => !found.has(block));
  if (lacking.length > 0) throw new Error(`${name}: the rows of ${lacking.length} blocks did not arrive`);
  const since = (start) => blocks.map((block) => found.get(block) - start.get(block));
  const seen = since(door.seen);
  console.log(`${name}: seen → row ${inWords(seen)}; mined → row ${inWords(since(made))}`);
  return percentile(
    seen.toSorted((a, b) => a - b),
    0.99,
  );
}

/** Waits until a table exists and has a row. */
async function waitForRows(database, table) {
  const client = new pg.Client(database);
  await client.connect();
  for (let tries = 0; ; tries += 1) {
    const count = await client.query(`select count(*) as n from ${table}`).then(
      ({ rows }) => Number(rows[0].n),
      () => 0,
    );
    if (count > 0) break;
    if (tries > 600) throw new Error(`no rows in ${table} after a minute`);
    await sleep(100);
  }
  await client.end();
}

async function main() {
  if (postgresPrograms === undefined) return console.log("skipped: PostgreSQL is not installed");
  const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-latency-"));
  const given = process.env.GRAPHLOOM_BENCH_POSTGRES;
  const server = given ? { address: given, stop: () => {} } : await startPostgres();
  const anvil = await startAnvil();
  try {
    const client = createRpcClient(anvil.url, world);
    const token = await compileToken();
    const address = (await fill(client, token, 2_000)).toLowerCase();
    const data = new Interface(token.abi).encodeFunctionData("many", [perTransaction]);
    const setting = { client, anvil, address, data, database: server.address };
    writeFileSync(
      join(folder, "latency.yaml"),
      `
name: latency
sources: { transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest } }
transforms:
  chosen:
    sql: SELECT id, block_number, transaction_hash, sender, recipient, amount FROM transfers
    primary_key: id
sinks: { out: { type: postgres, from: chosen, table: transfers, schema: ours, secret_name: PG } }
`,
    );
    const ours = async (url) => {
      const words = [command, "pipeline", "run", "latency.yaml", "--rpc", `anvil=${url}`];
      const env = { ...process.env, GRAPHLOOM_SECRET_PG: server.address };
      const child = spawn(process.execPath, words, { cwd: folder, env, stdio: "ignore" });
      await waitForRows(server.address, "ours.transfers");
      return child;
    };
    const before = loadavg()[0].toFixed(1);
    console.log(`${rate} rows/s for ${seconds} s, a block each second`);
    const own = await measure("ours", setting, ours, "ours.transfers", "block_number");
    console.log(`p99 of seen → row: wanted at most 250 ms: ${own <= 250 ? "ok" : "MISSED"}`);
    const missing = installPonder();
    if (missing) return console.log(`Ponder was left out: ${missing}`);
    const theirs = async (url) => {
      const { child } = await startPonder({ url, address, abi: token.abi }, server.address);
      child.stdout.resume();
      child.stderr.resume();
      await waitForRows(server.address, "bench.transfer");
      return child;
    };
    const peer = await measure("Ponder", setting, theirs, "bench.transfer", "block_number");
    console.log(
      `ratio of p99 to Ponder's: ${(own / peer).toFixed(2)}; load ${before} to ${loadavg()[0].toFixed(1)}`,
    );
  } finally {
    anvil.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
process.exit(0);
