// Measures hosting: the time from a deploy to the first answered query, memory without deployments, with one and with
// twenty, whether twenty at once come along equally, and how long a query takes meanwhile.
// Run: npm run bench:host [-- <folder or postgres:// address> [<transfers>]]; without a place PGlite in memory.
import { execFileSync } from "node:child_process";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEmbeddedEngine } from "../dist/hosting/embedded/create-embedded-engine.js";
import { createProject } from "../dist/platform/people/projects.js";
import { createHosting } from "../dist/platform/subgraphs/create-hosting.js";
import { addVersion } from "../dist/platform/subgraphs/versions.js";
import { readQueryBody } from "../dist/query/query-body.js";
import { Nodes } from "../dist/rpc/nodes.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { migrate } from "../dist/store/database/migrate.js";
import { isAddress, openDatabase } from "../dist/store/open.js";
import { collectBuild } from "../dist/subgraph/collect-build.js";
import { linkBuild } from "../dist/subgraph/deployment/link-build.js";
import { zipBuild } from "../dist/subgraph/zip-build.js";
import { startAnvil, world } from "./local-chain.mjs";

const [place = "", count = "3000"] = process.argv.slice(2);
const deployments = 20;
const project = "project_bench";

/** Has three tokens on the chain and a subgraph of them, made in a process of its own: compilers leave much memory behind. */
function prepare(url) {
  const own = fileURLToPath(new URL("./host-prepare.mjs", import.meta.url));
  const printed = execFileSync(process.execPath, [own, url, count], { maxBuffer: 100_000_000 });
  return new Map(JSON.parse(printed).map(([path, base64]) => [path, Buffer.from(base64, "base64")]));
}

/** The same subgraph under another hash. */
function bundleOf(files, number) {
  const path = "build/subgraph.yaml";
  const manifest = `${String(files.get(path))}description: number ${number}\n`;
  const made = collectBuild({ manifest: path, files: new Map([...files, [path, manifest]]) });
  return { deployment: linkBuild(made).deploymentId, bundle: zipBuild(made) };
}

const megabytes = () => Math.round(process.memoryUsage().rss / 1e6);
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];

const anvil = await startAnvil();
const database = await openDatabase(place || undefined, world);
try {
  const client = createRpcClient(anvil.url, world);
  const files = prepare(anvil.url);
  const chainHead = Number(await client.request("eth_blockNumber", []));
  await migrate(database);
  await createProject(database, { id: project, name: "bench" }).catch(() => undefined);
  const engine = createEmbeddedEngine({
    database,
    ...(isAddress(place) && { address: place }),
    world,
    nodes: new Nodes(new Map([["mainnet", [anvil.url]]]), world),
  });
  const hosting = createHosting({ database, engines: [engine], world });
  const deploy = async (number) => {
    const { deployment, bundle } = bundleOf(files, number);
    const version = { project, name: "bench", version: `${Date.now()}.${number}.0`, deployment, bundle };
    await database.transaction((sql) =>
      addVersion(sql, { ...version, network: "mainnet", engine: "embedded", description: null }),
    );
    return deployment;
  };
  const query = readQueryBody(JSON.stringify({ query: "{ transfers(first: 10) { id value } }" }));
  const answered = async (deployment) => {
    const { data } = JSON.parse((await engine.answer(deployment, query)).body);
    return data?.transfers.length > 0;
  };
  await sleep(500);
  console.log(`memory without a deployment: ${megabytes()} MB`);

  const times = [];
  const singles = [];
  for (let number = 0; number < 3; number++) {
    const start = performance.now();
    const deployment = await deploy(1000 + number);
    await hosting.reconcile();
    while (!(await answered(deployment))) await sleep(10);
    times.push((performance.now() - start) / 1000);
    singles.push(deployment);
    if (number === 0) {
      while ((await engine.status([deployment])).get(deployment)?.headBlock !== chainHead) await sleep(20);
      console.log(`to the head of ${count} transfers: ${((performance.now() - start) / 1000).toFixed(2)} s`);
      await sleep(2_000);
      console.log(`memory with one deployment: ${megabytes()} MB`);
    }
  }
  console.log(
    `from deploy to the first answered query, s: ${times.map((one) => one.toFixed(2)).join(" ")} (wanted: 3)`,
  );

  const all = [];
  for (let number = 0; number < deployments; number++) all.push(await deploy(number));
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  const start = performance.now();
  await hosting.reconcile();
  const latencies = [];
  const statuses = [];
  const finished = new Map();
  let worst;
  while (finished.size < deployments) {
    const asked = performance.now();
    await answered(singles[0]);
    latencies.push(performance.now() - asked);
    const asking = performance.now();
    const states = await engine.status(all);
    statuses.push(performance.now() - asking);
    const heads = all.map((deployment) => states.get(deployment)?.headBlock ?? 0);
    for (const [index, head] of heads.entries()) {
      if (head === chainHead && !finished.has(index)) finished.set(index, (performance.now() - start) / 1000);
    }
    if (!worst && heads.some((head) => head === chainHead)) worst = heads;
    await sleep(20);
  }
  const ends = [...finished.values()];
  console.log(`${deployments} at once, at the head after s: ${ends.map((one) => one.toFixed(1)).join(" ")}`);
  console.log(`last against first: ${(Math.max(...ends) / Math.min(...ends)).toFixed(2)}`);
  console.log(`blocks of each when the first was there: ${worst.join(" ")} of ${chainHead}`);
  console.log(
    `a query meanwhile, ms: median ${median(latencies).toFixed(1)}, worst ${Math.max(...latencies).toFixed(0)}`,
  );
  console.log(
    `a status meanwhile, ms: median ${median(statuses).toFixed(1)}, worst ${Math.max(...statuses).toFixed(0)}`,
  );
  console.log(
    `delay of the main thread, ms: median ${(delays.percentile(50) / 1e6).toFixed(1)}, 99% ${(delays.percentile(99) / 1e6).toFixed(0)}`,
  );
  await sleep(3_000);
  console.log(`memory with ${deployments + singles.length} deployments: ${megabytes()} MB`);
  const closing = performance.now();
  await hosting.close();
  console.log(`closing: ${((performance.now() - closing) / 1000).toFixed(2)} s`);
} finally {
  await database.close();
  anvil.stop();
}
process.exit(0);
