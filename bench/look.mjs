// Measures the dashboard with 1,000 versions, 200 entity types, 100,000 rows and 100 events a second, while Chromium has
// four of its pages open: sizes, updates, memory, long tasks, and the time to the first byte. At last the same pages are
// loaded whole once a second, which is what a dashboard without updates of parts has to do.
// Run: npm run bench:look [-- <minutes>]; ten by default. GRAPHLOOM_BENCH_POSTGRES is the address of an empty database.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { addVersion, setPaused } from "../dist/platform/subgraphs/versions.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { uncheckedSql } from "../dist/store/database/database.js";
import { openDatabase } from "../dist/store/open.js";
import { collectBuild } from "../dist/subgraph/collect-build.js";
import { linkBuild } from "../dist/subgraph/deployment/link-build.js";
import { zipBuild } from "../dist/subgraph/zip-build.js";
import { startAnvil, world } from "./local-chain.mjs";
import { openPages } from "./look-browser.mjs";
import { mineEvents } from "./look-chain.mjs";

const minutes = Number(process.argv[2] ?? 10);
const postgres = process.env.GRAPHLOOM_BENCH_POSTGRES;
if (!postgres) throw new Error("GRAPHLOOM_BENCH_POSTGRES is not set");
/** Versions in all, of how many names, and how many are paused, each with a deployment of its own. */
const [versions, names, paused] = [1_000, 250, 300];
/** Deployments that run besides the large one. The last fails. The versions that are not paused share them. */
const running = 9;
/** Blocks of 200 events at the start: 100,000 rows. */
const blocks = 400;
const eventsPerSecond = 100;
/** The most bytes of a compressed page that are wanted. */
const goal = 60_000;

const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "bench-look-"));
const large = "/dashboard/large/1.0.0";
const open = [
  ["overview", "/"],
  ["subgraph", large],
  ["Data", `${large}/data`],
  ["Log", `${large}/log`],
];
const others = [
  ["rows of Kind0", `${large}/data/kind_0`],
  ["overview, page 7", "/?page=7"],
  ["overview, failed", "/?state=failed"],
  ["overview, search", "/?q=name-1"],
  ["Query", `${large}/query`],
  ["Webhooks", `${large}/webhooks`],
  ["Map", `${large}/map`],
  ["the drawing of the Map", `${large}/map.svg?part=bench`],
  ["Settings", `${large}/settings`],
  ["API keys", "/keys"],
  ["audit", "/audit"],
];

function prepare(url) {
  const own = fileURLToPath(new URL("./look-prepare.mjs", import.meta.url));
  const printed = execFileSync(process.execPath, [own, url, String(blocks)], { maxBuffer: 2 ** 28 });
  const { address, ...builds } = JSON.parse(printed);
  const filesOf = (files) => new Map(files.map(([path, base64]) => [path, Buffer.from(base64, "base64")]));
  return {
    address,
    ...Object.fromEntries(Object.entries(builds).map(([name, files]) => [name, filesOf(files)])),
  };
}

/** A build under a hash of its own. */
function buildOf(files, number) {
  const path = "build/subgraph.yaml";
  const manifest = `${String(files.get(path))}description: number ${number}\n`;
  const made = collectBuild({ manifest: path, files: new Map([...files, [path, manifest]]) });
  return { deployment: linkBuild(made).deploymentId, bundle: zipBuild(made) };
}

async function startServer(node) {
  const words = ["serve", "--port", "0", "--data", "data", "--rpc", `mainnet=${node}`];
  const env = { PATH: process.env.PATH, HOME: folder, GRAPHLOOM_DATABASE: postgres };
  const child = spawn(process.execPath, [command, ...words], { cwd: folder, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said = `${said}${chunk}`.slice(-20_000);
    });
  for (;;) {
    const line = /^\{.*"msg":"serving".*\}$/m.exec(said)?.[0];
    if (line) {
      const { api, project } = JSON.parse(line);
      const kept = JSON.parse(readFileSync(join(folder, ".config/graphloom/credentials.json"), "utf8"));
      const [{ token }] = Object.values(kept.logins);
      return { child, address: api.replace("/api/v1", ""), project, token };
    }
    if (child.exitCode !== null) throw new Error(`the server ended: ${said}`);
    await sleep(50);
  }
}

async function deploy({ address, token }, name, version, { bundle }) {
  const form = new FormData();
  form.append("bundle", new File([Buffer.from(bundle)], "bundle.zip", { type: "application/zip" }));
  const answer = await fetch(`${address}/api/v1/subgraphs/${name}/deployments/${version}`, {
    method: "PUT",
    body: form,
    headers: { authorization: `Bearer ${token}` },
  });
  if (answer.status !== 201) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
}

/** The values of metrics whose names start with a text. */
async function metric({ address, token }, name) {
  const answer = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const lines = (await answer.text()).split("\n").filter((line) => line.startsWith(name));
  return lines.map((line) => Number(line.split(" ").at(-1)));
}

/** Adds versions until there are enough: some share the deployments that run, the others are paused. */
async function addVersions({ project }, shared, small) {
  const database = await openDatabase(postgres, world);
  try {
    for (let number = running + 1; number < versions; number++) {
      const [name, version] = [`name-${number % names}`, `1.${Math.floor(number / names)}.0`];
      const isPaused = number % 10 < (paused / versions) * 10;
      const build = isPaused ? buildOf(small, 1_000 + number) : shared[number % shared.length];
      await database.transaction(async (sql) => {
        const added = { project, name, version, ...build, network: "mainnet", engine: "embedded" };
        await addVersion(sql, { ...added, description: null });
        if (isPaused) await setPaused(sql, { project, name, version }, true);
      });
    }
    const [{ count }] = await database.query(
      uncheckedSql("select count(*) as count from graphloom.versions"),
    );
    return Number(count);
  } finally {
    await database.close();
  }
}

const agent = new Agent({ keepAlive: true });

/** Loads a page. @returns milliseconds to the first byte, and its bytes as they were sent and as a text */
function load(address, path, cookie) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = { cookie, accept: "text/html", "accept-encoding": "gzip" };
    request(`${address}${path}`, { agent, headers }, (response) => {
      const first = performance.now() - start;
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const body = Buffer.concat(chunks);
        const { location } = response.headers;
        if (location) return resolve(load(address, location, cookie));
        if (response.statusCode !== 200) return reject(new Error(`${path}: ${response.statusCode} ${body}`));
        const isZipped = response.headers["content-encoding"] === "gzip";
        resolve({ first, sent: body.length, text: isZipped ? gunzipSync(body) : body, isZipped });
      });
    })
      .on("error", reject)
      .end();
  });
}

/** Seconds of CPU, and megabytes of memory, that a process takes. On Linux only. */
function usage({ pid }) {
  const times = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ").slice(11, 13);
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return {
    cpu: times.reduce((sum, time) => sum + Number(time), 0) / 100,
    resident: Number(kilobytes) / 1024,
  };
}

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** Prints a table in Markdown. */
function print(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  console.log([line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line), ""].join("\n"));
}

const anvil = await startAnvil({ timestamp: Math.floor(Date.now() / 1000) - 7_200 });
let server;
let pages;
let mining;
try {
  const { address: contract, large: largeFiles, small, failing } = prepare(anvil.url);
  const client = createRpcClient(anvil.url, world);
  server = await startServer(anvil.url);
  const filling = performance.now();
  await deploy(server, "large", "1.0.0", buildOf(largeFiles, 0));
  const shared = [];
  for (let number = 1; number <= running; number++) {
    const build = buildOf(number === running ? failing : small, number);
    shared.push(build);
    await deploy(server, `name-${number}`, "1.0.0", build);
  }
  const count = await addVersions(server, shared, small);
  const head = Number(await client.request("eth_blockNumber", []));
  const heads = async () => (await metric(server, "graphloom_deployment_head_block")).sort((a, b) => a - b);
  // All but the one that fails.
  while ((await heads()).filter((each) => each >= head).length < running) await sleep(500);
  console.log(
    `${count} versions, filled and indexed in ${((performance.now() - filling) / 1000).toFixed(0)} s\n`,
  );

  let isMining = true;
  let mined = 0;
  mining = (async () => {
    const began = performance.now();
    for (let second = 1; isMining; second++) {
      await mineEvents(client, contract, eventsPerSecond);
      mined += eventsPerSecond;
      await sleep(Math.max(0, second * 1_000 - (performance.now() - began)));
    }
  })();
  const heapOf = async () => (await metric(server, "nodejs_heap_size_used_bytes "))[0];
  /** Works for some seconds. @returns the part of a core that the server used meanwhile, and samples of its memory */
  const cpuOver = async (seconds, work) => {
    const [began, before] = [performance.now(), usage(server.child).cpu];
    const goesOn = () => (performance.now() - began) / 1000 < seconds;
    const samples = [];
    const sample = async () => {
      for (let second = 0; goesOn(); second++) {
        if (second % 10 === 0) samples.push({ heap: await heapOf(), resident: usage(server.child).resident });
        await sleep(1_000);
      }
    };
    const [result] = await Promise.all([work(goesOn), sample()]);
    const share = (usage(server.child).cpu - before) / ((performance.now() - began) / 1000);
    return { result, samples, share };
  };
  const waiting = async (goesOn) => {
    while (goesOn()) await sleep(200);
  };
  const warm = Math.min(30, minutes * 6);
  await sleep(5_000);
  const alone = await cpuOver(warm, waiting);

  pages = await openPages(server.address, server.token, open);
  // Ten seconds in which everything is loaded and compiled.
  await sleep(10_000);
  await pages.reset();
  const before = await pages.look();
  const times = new Map(open.map(([name]) => [name, []]));
  let half;
  const followed = await cpuOver(minutes * 60, async (goesOn) => {
    const began = performance.now();
    for (let second = 1; goesOn(); second++) {
      if (second === Math.ceil(minutes * 30)) half = await pages.look();
      const [name, path] = open[second % open.length];
      times.get(name).push((await load(server.address, path, pages.cookie)).first);
      await sleep(Math.max(0, second * 1_000 - (performance.now() - began)));
    }
    return (performance.now() - began) / 1000;
  });
  const seconds = followed.result;
  const after = await pages.look();
  await pages.close();
  const { cookie } = pages;
  pages = undefined;
  await sleep(3_000);

  let loadedBytes = 0;
  let rounds = 0;
  const loaded = await cpuOver(warm, async (goesOn) => {
    const began = performance.now();
    for (let second = 1; goesOn(); second++) {
      const all = await Promise.all(open.map(([, path]) => load(server.address, path, cookie)));
      loadedBytes += all.reduce((sum, { sent }) => sum + sent, 0);
      rounds++;
      await sleep(Math.max(0, second * 1_000 - (performance.now() - began)));
    }
    return (performance.now() - began) / 1000;
  });

  const missed = [];
  const sizes = [];
  for (const [name, path] of [...open, ...others]) {
    const { sent, text, isZipped, first } = await load(server.address, path, cookie);
    const { length: zipped } = isZipped ? { length: sent } : gzipSync(text);
    if (zipped > goal) missed.push(`${name} takes ${kilobytes(zipped)} KB`);
    sizes.push([name, kilobytes(text.length), kilobytes(zipped), isZipped ? "yes" : "no", first.toFixed(0)]);
  }
  print(["page", "KB of HTML", "KB with gzip", "sent with gzip", "ms to the first byte, once"], sizes);

  print(
    [
      "open page",
      "updates/s",
      "KB/min",
      "heap MB",
      "nodes",
      "tasks over 50 ms",
      "longest, ms",
      "first byte, p50",
      "p99",
    ],
    after.map(({ name, updates, bytes, heap, nodes, tasks, isStale }, index) => {
      if (isStale) missed.push(`${name} was cut off at the end`);
      const sorted = times.get(name).sort((a, b) => a - b);
      return [
        name,
        (updates / seconds).toFixed(2),
        kilobytes((bytes / seconds) * 60),
        [before[index].heap, half[index].heap, heap].map(megabytes).join(" → "),
        [before[index].nodes, half[index].nodes, nodes].join(" → "),
        tasks.length,
        tasks.length === 0 ? "–" : Math.max(...tasks).toFixed(0),
        `${at(sorted, 0.5).toFixed(0)} ms`,
        `${at(sorted, 0.99).toFixed(0)} ms`,
      ];
    }),
  );

  // The least of a minute, soon after the garbage was collected, says more than a single reading.
  const { samples } = followed;
  const minute = Math.min(6, Math.ceil(samples.length / 2));
  const least = (some, of) => Math.min(...some.map((sample) => sample[of]));
  const [early, late] = [samples.slice(0, minute), samples.slice(-minute)];
  print(
    ["server", "first minute", "last minute"],
    [
      ["heap of the main thread, least, MB", megabytes(least(early, "heap")), megabytes(least(late, "heap"))],
      ["resident, least, MB", least(early, "resident").toFixed(0), least(late, "resident").toFixed(0)],
    ],
  );

  const sentBytes = after.reduce((sum, { bytes }) => sum + bytes, 0) / seconds / open.length;
  const wholeBytes = loadedBytes / rounds / open.length;
  console.log(
    `a page and a second: ${kilobytes(sentBytes)} KB by parts, ${kilobytes(wholeBytes)} KB loaded whole once a second: ${(sentBytes / wholeBytes).toFixed(2)} of it`,
  );
  const share = (part) => `${(part * 100).toFixed(0)} %`;
  console.log(
    `${mined} events mined; CPU of the server: ${share(alone.share)} without pages, ${share(followed.share)} with ${open.length} open and one loaded a second, ${share(loaded.share)} with ${open.length} loaded a second`,
  );
  console.log(missed.length === 0 ? "nothing missed" : `missed: ${missed.join("; ")}`);
  isMining = false;
  await mining;
} finally {
  await pages?.close();
  server?.child.kill();
  if (server) await sleep(1_000);
  anvil.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
