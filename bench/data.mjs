// Measures the data service over HTTP: ten million transfers of a million wallets in PostgreSQL, some of them with hundreds
// of thousands of rows. Every operation with one connection and with 32, against what PostgreSQL takes for the same SELECT,
// prepared, by pg in the same run: the limit. The service and the clients are processes of their own.
// Run: GRAPHLOOM_BENCH_POSTGRES=<address of an empty database> npm run bench:data [-- <transfers>]. Tables that have as many
// transfers already are measured as they are. SECONDS is how long each is asked, 5 by default. With GRAPHLOOM_BENCH_CLICKHOUSE,
// an address of ClickHouse, the rows are copied there, and answers are measured from there.
import { fork, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { createClickHouseStore } from "../dist/data/clickhouse/clickhouse-store.js";
import { balancesCode } from "../dist/data/nodes/batched-balances.js";
import { createPostgresStore } from "../dist/data/reads/postgres-store.js";
import { createDataService } from "../dist/data/service/data-service.js";
import { openDatabase } from "../dist/store/open.js";
import { copyToClickHouse } from "./data-clickhouse.mjs";
import { chainName, fillData, walletAddress } from "./data-fill.mjs";
import { world } from "./local-chain.mjs";

const [count = "10000000"] = process.argv.slice(2);
const seconds = Number(process.env.SECONDS ?? 5);
const key = "key-of-the-bench";
const address = process.env.GRAPHLOOM_BENCH_POSTGRES;
const clickHouseAddress = process.env.GRAPHLOOM_BENCH_CLICKHOUSE;
if (!address) throw new Error("GRAPHLOOM_BENCH_POSTGRES is not set");

/** Milliseconds that half of the requests may take, and requests per second of 32 connections. */
const goals = { blocks: { p50: 5, rate: 1_000 }, feeds: { p50: 20 } };
/** Different requests of each kind. */
const variety = 200;

/** What is asked, with `next` for a second page: the name of its cursor. */
function questionsOf({ wallets, blocks, firstTime, hashes, tokens }) {
  const some = (most) => Math.floor(Math.random() * most);
  const any = () => walletAddress(some(wallets));
  const busy = () => walletAddress(some(100));
  const day = (number) => new Date((firstTime + 12 * number) * 1_000).toISOString();
  const transfers = (more) => `/feeds/wallets/transfers?${more}`;
  const balances = (more) => `/feeds/wallets/balances?${more}`;
  const list = `/blocks/${chainName}`;
  return [
    ["blocks", "head", () => `${list}/head`],
    ["blocks", "block by number", () => `${list}?number=${some(blocks)}`],
    ["blocks", "block by hash", () => `${list}?hash=${hashes[some(hashes.length)]}`],
    [
      "blocks",
      "block at a time",
      () => `${list}?timestamp_lte=${firstTime + some(12 * blocks)}&sort=number_desc&limit=1`,
    ],
    ["blocks", "10 blocks", () => `${list}?number_lte=${some(blocks)}&limit=10`],
    ["blocks", "100 blocks", () => `${list}?number_lte=${some(blocks)}`],
    ["blocks", "the next 100", () => `${list}?number_lte=${1_000 + some(blocks - 1_000)}`, "cursor"],
    ["feeds", "sums, any wallet", () => balances(`address=${any()}`)],
    ["feeds", "sums, busy wallets", () => balances(`address=${busy()}`)],
    ["feeds", "balances, busy wallets", () => balances(`address=${busy()}`)],
    ["feeds", "balances, with unpriced", () => balances(`address=${busy()}&include_unknown_price=true`)],
    ["feeds", "transfers, any wallet", () => transfers(`address=${any()}`)],
    ["feeds", "transfers, busy wallets", () => transfers(`address=${busy()}`)],
    ["feeds", "transfers, the next page", () => transfers(`address=${busy()}`), "page_token"],
    ["feeds", "transfers, with unpriced", () => transfers(`address=${busy()}&include_unknown_price=true`)],
    [
      "feeds",
      "transfers, one token",
      () =>
        transfers(
          `address=${busy()}&token_address=${tokens[some(tokens.length)]}&include_unknown_price=true`,
        ),
    ],
    [
      "feeds",
      "transfers, in, of a day",
      () => {
        const first = some(Math.max(1, blocks - 7_200));
        return transfers(`address=${busy()}&direction=in&from=${day(first)}&to=${day(first + 7_200)}`);
      },
    ],
    ["status", "status", () => "/status"],
  ];
}

const one = `0x${"1".padStart(64, "0")}`;
const emptyCode = balancesCode("0x", []);
/** The answer to a call for the balances of many tokens. */
const onesFor = (code) => `0x${`01${one.slice(2)}`.repeat((code.length - emptyCode.length) / 40)}`;

async function ask(service, path) {
  const header = (name) => (name === "x-api-key" ? key : undefined);
  const { status, body } = await service.answer({ method: "GET", url: path, header });
  return { status, body: JSON.parse(body) };
}

/** Notes every statement that the product sends, with its parameters and its rows. */
function recording(database, noted) {
  const noting = (sql) => ({
    ...sql,
    query: async (statement, given = [], options = {}) => {
      const rows = await sql.query(statement, given, options);
      noted.push({ statement, given, rows: rows.length });
      return rows;
    },
  });
  return { transaction: (work, options) => database.transaction((sql) => work(noting(sql)), options) };
}

/** The paths of an operation, and the SELECT of each that reads its rows from the tables of the chain. */
async function prepare(database, clickHouse, make, next) {
  const noted = [];
  const nodes = new Map([
    [chainName, { call: async () => one, create: async (code) => onesFor(code), balance: async () => 1n }],
  ]);
  const service = createDataService({
    store: clickHouse
      ? createClickHouseStore({ ...clickHouse, database, limit: 120_000, wait: setTimeout })
      : createPostgresStore(recording(database, noted), 120_000),
    nodes,
    key,
    now: Date.now,
  });
  const paths = [];
  const selects = [];
  while (paths.length < variety) {
    let path = make();
    if (next !== undefined) {
      const { body } = await ask(service, path);
      const token = next === "cursor" ? body.next_cursor : body.pagination.next_page_token;
      if (token === null) continue;
      path += `&${next}=${encodeURIComponent(token)}`;
    }
    noted.length = 0;
    const { status, body } = await ask(service, path);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    const own = noted.filter(({ statement }) => statement.includes("graphloom_data_"));
    const most = Math.max(...own.map(({ rows }) => rows));
    paths.push(path);
    if (!clickHouse) selects.push(own.findLast(({ rows }) => rows === most));
  }
  return { paths, selects };
}

/** Milliseconds of CPU that a process has used; 0 where there is no /proc. */
function cpuOf(pid) {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const [user, system] = readFileSync(path, "utf8").split(") ")[1].split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

/** The same SELECTs by pg, prepared. */
async function limitOf(selects, connections) {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({
        connectionString: address,
        types: { getTypeParser: () => (value) => value },
      });
      await client.connect();
      await client.query("set jit = off; set search_path = public");
      return client;
    }),
  );
  const names = new Map();
  const times = [];
  let turn = 0;
  const begin = performance.now();
  const until = begin + seconds * 1_000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        const { statement, given } = selects[turn++ % selects.length];
        if (!names.has(statement)) names.set(statement, `limit_${names.size}`);
        const start = performance.now();
        await client.query({ text: statement, values: given, name: names.get(statement) });
        times.push(performance.now() - start);
      }
    }),
  );
  const took = (performance.now() - begin) / 1_000;
  await Promise.all(clients.map((client) => client.end()));
  times.sort((one, other) => one - other);
  return { p50: at(times, 0.5), rate: times.length / took };
}

/** Has clients in another process ask for some seconds. */
function load(port, paths, connections) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL("http-clients.mjs", import.meta.url)));
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the clients ended with ${code}`)));
    const requests = paths.map(
      (path) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`,
    );
    child.send({ port, requests, connections, seconds });
  });
}

/** A node that answers at once that everybody has one of everything. */
async function startNode() {
  const results = { eth_getBalance: "0x1", eth_chainId: "0x1" };
  const resultOf = ({ method, params: [{ to, data }] }) =>
    method === "eth_call" ? (to === undefined ? onesFor(data) : one) : results[method];
  const answer = (question) => ({
    jsonrpc: "2.0",
    id: question.id,
    result: resultOf({ params: [{}], ...question }) ?? null,
  });
  const node = createServer(async (request, response) => {
    const asked = JSON.parse(Buffer.concat(await request.toArray()).toString());
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  });
  await new Promise((resolve) => node.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${node.address().port}`, stop: () => node.close() };
}

/** Starts `data serve`. @param node without one, balances are sums of transfers */
async function startService(node) {
  const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const profile = process.env.PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${process.env.PROFILE}`] : [];
  const words = ["data", "serve", "--port", "0", "--database", address, "--time-limit", "120"];
  if (clickHouseAddress) words.push("--clickhouse", clickHouseAddress);
  if (node) words.push("--rpc", `mainnet=${node}`);
  const child = spawn(process.execPath, [...profile, command, ...words], {
    env: { ...process.env, GRAPHLOOM_DATA_SERVICE_KEY: key },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /answers at http:\S+:(\d+)/.exec(line) ?? [];
    if (port) return { port: Number(port), pid: child.pid, stop: () => child.kill("SIGTERM") };
  }
  throw new Error("data serve did not start");
}

/** What is said of the SELECT alone. */
function besides(limit, one, many) {
  return (
    `the SELECT alone: p50 ${limit.one.p50.toFixed(2)} ms, ${limit.one.rate.toFixed(0)}/s, 32: ${limit.many.rate.toFixed(0)}/s; ` +
    `of it ${(one.rate / limit.one.rate).toFixed(2)} and ${(many.rate / limit.many.rate).toFixed(2)}; `
  );
}

const only = process.env.ONLY;
const database = await openDatabase(address, world);
try {
  const filled = await fillData(database, Number(count));
  console.log(
    `${filled.rows} rows of transfers, ${filled.wallets} wallets, ${filled.blocks} blocks; ${seconds} s each`,
  );
  const clickHouse = clickHouseAddress && (await copyToClickHouse(address, clickHouseAddress, filled));
  const node = await startNode();
  const services = { sums: await startService(), others: await startService(node.url) };
  const missed = [];
  try {
    for (const [group, name, make, next] of questionsOf(filled)) {
      if (only !== undefined && !name.includes(only)) continue;
      const service = name.startsWith("sums") ? services.sums : services.others;
      const { paths, selects } = await prepare(database, clickHouse, make, next);
      await load(service.port, paths, 4);
      const before = cpuOf(service.pid);
      const one = await load(service.port, paths, 1);
      const many = await load(service.port, paths, 32);
      const cpu = (cpuOf(service.pid) - before) / (one.requests + many.requests);
      // The SELECTs of a service over ClickHouse are not those of one over PostgreSQL.
      const limit = clickHouse
        ? undefined
        : { one: await limitOf(selects, 1), many: await limitOf(selects, 32) };
      const { p50, rate } = goals[group] ?? {};
      if (p50 !== undefined && one.p50 > p50) missed.push(`${name}: p50 ${one.p50} ms`);
      if (rate !== undefined && many.rate < rate) missed.push(`${name}: ${many.rate}/s`);
      console.log(
        `${name.padEnd(26)} 1: p50 ${one.p50} ms, p99 ${one.p99} ms, ${one.rate}/s; 32: p50 ${many.p50} ms, p99 ${many.p99} ms, ` +
          `${many.rate}/s; ${limit ? besides(limit, one, many) : ""}${cpu.toFixed(2)} ms of the service's CPU; ${one.bytes} bytes`,
      );
    }
  } finally {
    for (const { stop } of [node, ...Object.values(services)]) stop();
    await clickHouse?.server.close();
  }
  console.log(missed.length === 0 ? "all goals are reached" : `missed: ${missed.join("; ")}`);
} finally {
  await database.close();
}
