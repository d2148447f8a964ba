// Measures a cold build of the Uniswap example against the peer's tools on the project it emits.
// Run: npm run bench
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const graphloom = join(root, "dist/cli/main.js");
const graph = join(root, "node_modules/@graphprotocol/graph-cli/bin/run.js");
const example = join(root, "examples/uniswap-v3/subgraph.json");
const runs = Number(process.argv[2] ?? 5);

/** Runs a command as a process of its own; its wall time in seconds. */
function time(cwd, ...args) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} failed:\n${stdout}${stderr}`);
  return (performance.now() - start) / 1000;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
try {
  const project = join(folder, "pools");
  const build = (target) =>
    time(root, graphloom, "subgraph", "init", "--from-config", example, "--target-path", target, "--build");
  build(project);
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const ours = [];
  const peers = [];
  // In turn, so that a change of the machine's speed meets both.
  for (let run = 0; run < runs; run++) {
    ours.push(build(join(folder, `run-${run}`)));
    peers.push(time(project, graph, "codegen") + time(project, graph, "build"));
  }
  const row = (name, seconds) =>
    console.log(
      `${name.padEnd(32)} ${median(seconds).toFixed(2)} s  (${seconds.map((s) => s.toFixed(2)).join(" ")})`,
    );
  row("graphloom subgraph init --build", ours);
  row("graph codegen && graph build", peers);
  const ratios = ours.map((own, run) => own / peers[run]);
  console.log(`ratio, median of ${runs} pairs: ${median(ratios).toFixed(3)} (wanted: at most 0.45)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
