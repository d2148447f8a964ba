// Measures what a generated mapping costs per event: host calls, bytes allocated and instructions of one event of each
// kind, against the mapping that `graph init --index-events` scaffolds for the same ABI, as it is ("plain") and with its
// fields brought to ours ("same fields"). All are built by the peer's flags. Run: npm run bench:mapping
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, createNodeHost, startAsc } from "../dist/exports/index.js";
import { countHandler } from "./count-handler.mjs";
import { sampleTrigger, sampleWorld } from "./sample-event.mjs";
import { eventsOf, scaffold, withFieldsOf, writeScaffold } from "./scaffold.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const graphCli = dirname(createRequire(import.meta.url).resolve("@graphprotocol/graph-cli/package.json"));
const abis = {
  UniswapV3Pool: "uniswap-v3",
  ERC20: "erc20-multichain",
  NounsToken: "nouns",
  Safe: "safe",
  NonfungiblePositionManager: "positions",
};
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
const asc = startAsc();

async function buildOurs(name, abiFile) {
  const instance = { abi: name, address: `0x${"99".repeat(20)}`, startBlock: 1, chain: "mainnet" };
  const config = { version: "1", name: "bench", abis: { [name]: { path: abiFile } }, instances: [instance] };
  const stdin = (async function* () {
    yield Buffer.from(JSON.stringify(config));
  })();
  const { ok, files } = await build("-", createNodeHost({ cwd: root, stdin }), { asc, optimize: "full" });
  if (!ok) throw new Error(`the subgraph of ${name} does not build`);
  const wasm = [...files].find(([path]) => path.endsWith(".wasm"))[1];
  return { schema: files.get("schema.graphql"), wasm };
}

function buildScaffold(files, name) {
  const project = mkdtempSync(join(folder, "scaffold-"));
  writeScaffold(files, project, join(root, "node_modules"));
  for (const command of ["codegen", "build"]) {
    const args = [join(graphCli, "bin/run.js"), command];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
    if (status !== 0) throw new Error(`graph ${command} of ${name} failed:\n${stdout}${stderr}`);
  }
  return readFileSync(join(project, "build", name, `${name}.wasm`));
}

/** The counts of one event, and what it stored. */
function countOf(wasm, name, event) {
  const handlers = WebAssembly.Module.exports(new WebAssembly.Module(wasm)).map((entry) => entry.name);
  const handler = handlers.find(
    (one) => one === `handle${name}${event.name}` || one === `handle${event.name}`,
  );
  const world = sampleWorld();
  const count = countHandler(wasm, handler, sampleTrigger(event), world);
  return { ...count, stored: [...world.entities] };
}

function sum(counts) {
  const calls = {};
  const total = { calls, hostCalls: 0, ownBytes: 0, hostBytes: 0, instructions: 0 };
  for (const count of counts) {
    for (const [name, times] of Object.entries(count.calls)) {
      calls[name] = (calls[name] ?? 0) + times;
      total.hostCalls += times;
    }
    for (const what of ["ownBytes", "hostBytes", "instructions"]) total[what] += count[what];
  }
  return total;
}

function print(label, { calls, hostCalls, ownBytes, hostBytes, instructions }, events) {
  const per = (number) => (number / events).toFixed(1).padStart(8);
  const names = Object.entries(calls).map(([name, times]) => `${name} ${(times / events).toFixed(1)}`);
  const numbers = [hostCalls, ownBytes, hostBytes, instructions].map(per).join(" ");
  console.log(`  ${label.padEnd(24)} ${numbers}   ${names.join(", ")}`);
}

/** What is stored, in an order of its own, without what only names it. */
function storedText({ stored }) {
  const text = (_, value) => (typeof value === "bigint" ? `${value}n` : value);
  return JSON.stringify(
    stored.map(([key, entity]) => [key, [...entity].toSorted(([a], [b]) => (a < b ? -1 : 1))]),
    text,
  );
}

try {
  console.log("per event, on average:      host calls  own bytes  bytes of the host  instructions");
  for (const [name, example] of Object.entries(abis)) {
    const abiFile = join(root, "examples", example, "abis", `${name}.json`);
    const ours = await buildOurs(name, abiFile);
    const files = await scaffold(graphCli, name, abiFile);
    const plain = buildScaffold(files, name);
    const same = buildScaffold(withFieldsOf(ours.schema, files), name);
    const events = eventsOf(abiFile);
    const counts = (wasm) => events.map((event) => countOf(wasm, name, event));
    const [mine, plains, sames] = [counts(ours.wasm), counts(plain), counts(same)];
    events.forEach((event, index) => {
      if (storedText(mine[index]) !== storedText(sames[index]))
        throw new Error(`${event.name} stores something else`);
    });
    console.log(`${name}: ${events.length} events`);
    print("ours", sum(mine), events.length);
    print("scaffold, same fields", sum(sames), events.length);
    print("scaffold, plain", sum(plains), events.length);
    for (const what of ["hostCalls", "ownBytes", "hostBytes", "instructions"]) {
      const worse = events.filter((_, index) => sum([mine[index]])[what] > sum([sames[index]])[what]);
      if (worse.length === 0) continue;
      console.log(`  more ${what} than the same fields: ${worse.map((event) => event.name).join(", ")}`);
      process.exitCode = 1;
    }
  }
} finally {
  await asc.close();
  rmSync(folder, { recursive: true, force: true });
}
