// Measures how long it takes from `graphloom pipeline apply` until a server has written the first row to PostgreSQL: the
// transfers are in the server's archive. Ratios are against the start of a bare process and a COPY of as many rows.
// Run: npm run bench:apply [-- <rounds>]; five by default. GRAPHLOOM_BENCH_POSTGRES is the address of an empty database
// on a PostgreSQL that listens on 127.0.0.1 or ::1 and takes a password.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { uncheckedSql } from "../dist/store/database/database.js";
import { openDatabase } from "../dist/store/open.js";
import { world } from "./local-chain.mjs";
import { playedWorld } from "./played-node.mjs";
import { median } from "./process.mjs";

const rounds = Number(process.argv[2] ?? 5);
const postgres = process.env.GRAPHLOOM_BENCH_POSTGRES;
if (!postgres) throw new Error("GRAPHLOOM_BENCH_POSTGRES is not set");
/** Seconds that are wanted. */
const goal = 2;
/** Transfers in the archive. */
const transfers = "5000";
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const filling = fileURLToPath(new URL("./flows.mjs", import.meta.url));
const psql = ["/usr/lib/postgresql/15/bin/psql", "/usr/bin/psql"].find((path) => existsSync(path)) ?? "psql";

const folder = mkdtempSync(join(tmpdir(), "bench-apply-"));
const archive = join(folder, "archive");
const env = { PATH: process.env.PATH, HOME: folder, GRAPHLOOM_DATABASE: postgres };
const inSeconds = (since) => (performance.now() - since) / 1000;

/** A node of the archived chain. */
async function startNode(last) {
  const { fetch } = playedWorld(world, last);
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.setHeader("content-type", "application/json").end(await (await fetch("", { body })).text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}`;
}

async function startServer(node) {
  const words = ["serve", "--port", "0", "--data", "data", "--archive", archive, "--rpc", `mainnet=${node}`];
  const child = spawn(process.execPath, [command, ...words], { cwd: folder, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  while (!said.includes('"msg":"serving"')) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said}`);
    await sleep(50);
  }
  return child;
}

function graphloom(words, input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...words], {
    cwd: folder,
    env,
    input,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`graphloom ${words.join(" ")} failed: ${stdout}${stderr}`);
}

/** Starts a command and lets it run. */
function begin(words) {
  const child = spawn(process.execPath, [command, ...words], { cwd: folder, env, stdio: "ignore" });
  const start = performance.now();
  return once(child, "exit").then(([code]) => {
    if (code !== 0) throw new Error(`graphloom ${words.join(" ")} ended with ${code}`);
    return inSeconds(start);
  });
}

const definition = (name) => `
name: ${name}
sources: { transfers: { type: dataset, dataset_name: ethereum.erc20_transfers, start_at: earliest } }
transforms: { moved: { sql: "SELECT id, sender, recipient, amount, block_number FROM transfers WHERE amount > 0", primary_key: id } }
sinks: { stored: { type: postgres, from: moved, table: ${name}, schema: bench_apply, secret_name: TARGET } }
`;

/** Seconds of CPU that a process and its children have used; on Linux only. */
function cpuOf(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return 0;
  // After the name in brackets: state, ten other fields, then user and system time in hundredths, and those of children.
  const times = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ").slice(11, 15);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const own = times.reduce((sum, time) => sum + Number(time), 0) / 100;
  return children.reduce((sum, child) => sum + (child === "" ? 0 : cpuOf(child)), own);
}

async function firstRow(database, name) {
  for (;;) {
    const found = await database
      .query(uncheckedSql(`select 1 as one from bench_apply.${name} limit 1`))
      .catch(() => []);
    if (found.length > 0) return;
    await sleep(5);
  }
}

mkdirSync(archive);
const filled = spawnSync(process.execPath, [filling, transfers, "fill", archive], { encoding: "utf8" });
if (filled.status !== 0) throw new Error(filled.stderr);
const { last } = JSON.parse(filled.stdout);
const server = await startServer(await startNode(last + 64));
const database = await openDatabase(postgres, world);
try {
  const { hostname, port, username, password, pathname } = new URL(postgres);
  graphloom([
    "secret",
    "create",
    "--name",
    "TARGET",
    "--value",
    JSON.stringify({
      type: "jdbc",
      protocol: "postgres",
      host: hostname,
      port: Number(port || 5432),
      databaseName: pathname.slice(1),
      user: username,
      password: password || "none",
    }),
  ]);
  const [all, answered, cpu, bare, copied] = [[], [], [], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const name = `flow${round}`;
    writeFileSync(join(folder, "flow.yaml"), definition(name));
    const before = cpuOf(server.pid);
    let start = performance.now();
    const applied = begin(["pipeline", "apply", "flow.yaml"]);
    await firstRow(database, name);
    all.push(inSeconds(start));
    cpu.push(cpuOf(server.pid) - before);
    answered.push(await applied);
    graphloom(["pipeline", "delete", name, "--force"]);
    start = performance.now();
    spawnSync(process.execPath, ["--eval", "0"]);
    bare.push(inSeconds(start));
    const rows = execFileSync(psql, [postgres, "-qc", `copy bench_apply.${name} to stdout`], {
      maxBuffer: 2 ** 28,
    });
    const create = `create table bench_apply.copied_${name} (like bench_apply.${name} including all)`;
    start = performance.now();
    execFileSync(psql, [postgres, "-qc", create, "-c", `copy bench_apply.copied_${name} from stdin`], {
      input: rows,
    });
    copied.push(inSeconds(start));
  }
  const [seconds, least] = [median(all), median(bare) + median(copied)];
  console.log(
    `apply → first row: ${seconds.toFixed(2)} s (at most ${goal}: ${seconds <= goal ? "ok" : "MISSED"}); the command ended after ${median(answered).toFixed(2)} s, the server used ${median(cpu).toFixed(2)} s of CPU`,
  );
  console.log(
    `a bare process ${median(bare).toFixed(2)} s, psql with a table and COPY ${median(copied).toFixed(2)} s: ${(seconds / least).toFixed(1)} times both`,
  );
} finally {
  await database.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
