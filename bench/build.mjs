// Measures cold builds, each in a process of its own: the Uniswap example against the peer's tools on the project it
// emits, a check of it alike, and 500 instances of one ABI against one. Run: npm run bench [-- <runs>]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const graph = join(root, "node_modules/@graphprotocol/graph-cli/bin/run.js");
const runs = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
let targets = 0;

/** Runs a script as a process of its own; its wall time in seconds. */
function time(cwd, ...args) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} failed:\n${stdout}${stderr}`);
  return (performance.now() - start) / 1000;
}

function graphloom(config, target = join(folder, `target-${targets++}`)) {
  const main = join(root, "dist/cli/main.js");
  return time(root, main, "subgraph", "init", "--from-config", config, "--target-path", target, "--build");
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Times two things in turn, so that a change of the machine's speed meets both, and prints their ratio. */
function compare(nameA, runA, nameB, runB, wanted) {
  const a = [];
  const b = [];
  for (let run = 0; run < runs; run++) {
    a.push(runA());
    b.push(runB());
  }
  const row = (name, all) => {
    const each = all.map((seconds) => seconds.toFixed(2)).join(" ");
    console.log(`${name.padEnd(32)} ${median(all).toFixed(2)} s  (${each})`);
  };
  row(nameA, a);
  row(nameB, b);
  const ratio = median(a.map((seconds, run) => seconds / b[run]));
  console.log(`ratio, median of ${runs} pairs: ${ratio.toFixed(3)} (wanted: at most ${wanted})\n`);
}

function instances(count) {
  const config = {
    version: "1",
    name: "many",
    abis: { ERC20: { path: join(root, "examples/erc20-multichain/abis/ERC20.json") } },
    instances: Array.from({ length: count }, (_, index) => ({
      abi: "ERC20",
      address: `0x${(index + 1).toString(16).padStart(40, "0")}`,
      startBlock: index,
      chain: "mainnet",
    })),
  };
  const path = join(folder, `instances-${count}.json`);
  writeFileSync(path, JSON.stringify(config));
  return path;
}

try {
  const example = join(root, "examples/uniswap-v3/subgraph.json");
  const project = join(folder, "pools");
  graphloom(example, project);
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  compare(
    "graphloom subgraph init --build",
    () => graphloom(example),
    "graph codegen && graph build",
    () => time(project, graph, "codegen") + time(project, graph, "build"),
    0.45,
  );
  compare(
    "graphloom check",
    () => time(root, join(root, "dist/cli/main.js"), "check", example),
    "graph codegen && graph build",
    () => time(project, graph, "codegen") + time(project, graph, "build"),
    0.25,
  );
  const [one, many] = [instances(1), instances(500)];
  compare(
    "500 instances of one ABI",
    () => graphloom(many),
    "1 instance",
    () => graphloom(one),
    1.5,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
