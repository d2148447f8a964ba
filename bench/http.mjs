// Measures queries over HTTP: 50,000 transfers, one client and 32, answers that are read each time and answers kept.
// The clients are a process of their own. PostGraphile answers the same lists from the same table in the same run.
// Run: npm run bench:http [-- <folder or postgres:// address of an empty database> [<transfers>]]. Without a place, this starts
// a PostgreSQL server, or uses PGlite if that is not installed. SECONDS is how long each is asked, 5, and ROUNDS how often, 3.
import { fork } from "node:child_process";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DeploymentQueries } from "../dist/hosting/embedded/deployment-queries.js";
import { endpoints } from "../dist/platform/endpoints/endpoints.js";
import { createApp } from "../dist/platform/http/app.js";
import { createProject } from "../dist/platform/people/projects.js";
import { addVersion } from "../dist/platform/subgraphs/versions.js";
import { migrate } from "../dist/store/database/migrate.js";
import { openDeployment } from "../dist/store/deployments/deployments.js";
import { openDatabase } from "../dist/store/open.js";
import { postgresPrograms, startPostgres } from "./disposable-postgres.mjs";
import { installPostGraphile, startPostGraphile } from "./postgraphile.mjs";
import { median } from "./process.mjs";

const [place = "", count = "50000"] = process.argv.slice(2);
const transfers = Number(count);
const seconds = Number(process.env.SECONDS ?? 5);
const rounds = Number(process.env.ROUNDS ?? 3);

const schema = `
  type Transfer @entity(immutable: true) {
    id: Bytes!
    from: Bytes!
    to: Bytes!
    value: BigInt!
    blockNumber: BigInt!
    blockTimestamp: BigInt!
    transactionHash: Bytes!
  }
`;
const fields = "{ id from to value blockNumber blockTimestamp transactionHash }";
const list = `{ transfers(first: 100) ${fields} }`;
const ordered = `query ($least: BigInt!) { transfers(first: 100, orderBy: value, orderDirection: desc, where: { value_gt: $least, blockNumber_gte: "100" }) ${fields} }`;

const nodes = "{ nodes { id from to value blockNumber blockTimestamp transactionHash } }";
const sorted = `{ transfers(first: 100, orderBy: value, orderDirection: desc) ${fields} }`;
const peerList = `{ allTransfers(first: 100, orderBy: ID_ASC) ${nodes} }`;
const peerSorted = `{ allTransfers(first: 100, orderBy: VALUE_DESC) ${nodes} }`;

/** What is asked, of PostGraphile as well, and what a graph-node answered in a second on two cores, with 32 connections. */
const questions = [
  { name: "a list of 100", query: list, isNew: true, theirs: 390, peer: peerList },
  { name: "100, ordered", query: sorted, isNew: true, peer: peerSorted },
  { name: "100, filtered and ordered", query: ordered, isNew: true, theirs: 265 },
  { name: "the same list again", query: list, isNew: false, theirs: 2400 },
];

const hash = (n, bytes) => `decode(lpad(to_hex(${n}), ${2 * bytes}, '0'), 'hex')`;

async function fill(database) {
  await migrate(database);
  await createProject(database, { id: "project_bench", name: "bench" });
  const deployment = "QmBench";
  await database.transaction((sql) =>
    addVersion(sql, {
      project: "project_bench",
      name: "transfers",
      version: "1.0.0",
      deployment,
      network: "mainnet",
      engine: "embedded",
      bundle: new Uint8Array(),
      description: null,
    }),
  );
  const made = await openDeployment(database, { deployment, network: "mainnet", schema, startBlock: 1 });
  await database.run(`
    insert into ${made.namespace}.transfer (vid, block$, id, "from", "to", value, block_number, block_timestamp, transaction_hash)
    select n, 1 + n / 200, ${hash("n", 36)}, ${hash("(n * 31) % 1000", 20)}, ${hash("(n * 17) % 1000", 20)},
      (n * 7919) % 1000003, 1 + n / 200, 1700000000 + n, ${hash("n", 32)}
    from generate_series(1::bigint, ${transfers}) n;
    analyze ${made.namespace}.transfer;
    update graphloom.deployments set head_number = ${1 + Math.floor(transfers / 200)}, head_hash = '0x${"ab".repeat(32)}'`);
}

/** The embedded engine without what it indexes with. */
function hostingOf(queries) {
  const own = { name: "embedded", answer: (deployment, body) => queries.answer(deployment, body) };
  return { engines: [own], engine: () => own, onChange: () => () => undefined };
}

/** Has the clients ask for some seconds. @returns milliseconds of each request, sorted, and how many in a second */
function load(port, question, connections) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL("http-clients.mjs", import.meta.url)));
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the clients ended with ${code}`)));
    child.send({ port, ...question, connections, seconds });
  });
}

const path = "/api/public/project_bench/subgraphs/transfers/1.0.0/gn";
const world = { now: () => Date.now(), sleep, timeout: (milliseconds) => AbortSignal.timeout(milliseconds) };

/** Measures our server and PostGraphile in turn. */
async function compare(port, peer, { name, theirs, peer: asked, ...question }) {
  const own = { path, ...question };
  const other = peer && asked && { path: "/graphql", query: asked, isNew: false };
  await load(port, own, 4);
  if (other) await load(peer.port, other, 4);
  const [alone, together, peerAlone, peerTogether] = [[], [], [], []];
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await load(port, own, 1));
    together.push(await load(port, own, 32));
    if (!other) continue;
    peerAlone.push(await load(peer.port, other, 1));
    peerTogether.push(await load(peer.port, other, 32));
  }
  const { user, system } = process.cpuUsage(before);
  const requests = [...alone, ...together].reduce((sum, one) => sum + one.requests, 0);
  const busy = ((user + system) / 1000 / requests).toFixed(2);
  const of = (list, what) => median(list.map((one) => Number(one[what])));
  const inWords = (one, many) =>
    `alone p50 ${of(one, "p50")} ms, p99 ${of(one, "p99")} ms; 32 connections ${of(many, "rate")}/s, p50 ${of(many, "p50")} ms, p99 ${of(many, "p99")} ms`;
  const reference = theirs === undefined ? "" : ` (graph-node ${theirs}/s)`;
  console.log(
    `${name}: ${inWords(alone, together)}${reference}; ${busy} ms of the server's CPU, ${together[0].bytes} bytes`,
  );
  if (!other) return;
  console.log(`  PostGraphile: ${inWords(peerAlone, peerTogether)}, ${peerTogether[0].bytes} bytes`);
  console.log(
    `  ratio at 32 connections: ${(of(together, "rate") / of(peerTogether, "rate")).toFixed(2)} (wanted: at least 2)`,
  );
}

const started = !place && postgresPrograms ? await startPostgres() : undefined;
const database = await openDatabase(place || started?.address, world);
await fill(database);
const hosting = hostingOf(new DeploymentQueries(database, world));
const platform = { database, world, hosting, settings: { address: () => "" } };
const app = await createApp(platform, [endpoints({ publicRate: null, workShare: null })]);
await app.listen({ host: "127.0.0.1", port: 0 });
const address = started?.address ?? (place.startsWith("postgres") ? place : undefined);
const missing = address ? installPostGraphile() : "it needs PostgreSQL";
if (missing) console.log(`PostGraphile is left out: ${missing}`);
const peer = missing ? undefined : await startPostGraphile(address, "sgd1");
try {
  console.log(
    `${database.provider}, ${transfers} transfers, ${seconds} s each, medians of ${rounds} rounds, load ${loadavg()[0].toFixed(1)}`,
  );
  for (const question of questions) await compare(app.server.address().port, peer, question);
} finally {
  peer?.stop();
  await app.close();
  await database.close();
  await started?.stop();
}
process.exit(0);
