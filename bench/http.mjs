// Measures queries over HTTP: 50,000 transfers, one client and 32, answers that are read each time and answers kept.
// The clients are a process of their own.
// Run: node bench/http.mjs [<folder or postgres:// address of an empty database>] [<transfers>]; without a place PGlite.
import { fork } from "node:child_process";
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

const [place = "", count = "50000"] = process.argv.slice(2);
const transfers = Number(count);
const seconds = Number(process.env.SECONDS ?? 5);

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

/** What is asked, and what a graph-node answered in a second on two cores, with 32 connections. */
const questions = [
  { name: "a list of 100", query: list, isNew: true, theirs: 390 },
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

const world = { now: () => Date.now(), sleep, timeout: (milliseconds) => AbortSignal.timeout(milliseconds) };
const database = await openDatabase(place || undefined, world);
await fill(database);
const hosting = hostingOf(new DeploymentQueries(database, world));
const platform = { database, world, hosting, settings: { address: () => "" } };
const app = await createApp(platform, [endpoints({ publicRate: null, workShare: null })]);
await app.listen({ host: "127.0.0.1", port: 0 });
try {
  const { port } = app.server.address();
  console.log(`${database.provider}, ${transfers} transfers, ${seconds} s each`);
  for (const question of questions) {
    await load(port, question, 4);
    const before = process.cpuUsage();
    const alone = await load(port, question, 1);
    const together = await load(port, question, 32);
    const { user, system } = process.cpuUsage(before);
    const busy = (user + system) / 1000 / (alone.requests + together.requests);
    console.log(
      `${question.name}: alone p50 ${alone.p50} ms, p99 ${alone.p99} ms; 32 connections ${together.rate}/s ` +
        `(graph-node ${question.theirs}/s), p50 ${together.p50} ms, p99 ${together.p99} ms; ` +
        `${busy.toFixed(2)} ms of the server's CPU, ${together.bytes} bytes`,
    );
  }
} finally {
  await app.close();
  await database.close();
}
