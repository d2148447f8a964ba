// Measures `graphloom build` of hand-written subgraphs, each run as a process of its own, in turn with graph-cli and with
// the bare AssemblyScript compiler, once per mapping. By default the subgraph is the one that the Uniswap example emits.
// Run: npm run bench:project [-- <runs> [<folder of a subgraph>…]]
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { root, uniswap } from "./configs.mjs";
import { measure, median } from "./process.mjs";

const [runs = "3", ...given] = process.argv.slice(2);
const main = join(root, "dist/cli/main.js");
const graph = join(root, "node_modules/@graphprotocol/graph-cli/bin/run.js");
const asc = join(root, "node_modules/assemblyscript/bin/asc");
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
const misses = [];
let made = 0;

const fresh = (name) => join(folder, `${name}-${made++}`);

/** A copy of a subgraph without what a build makes, with its packages, or with ours if it has none. */
function copyOf(project) {
  const copy = fresh(basename(project));
  const left = ["node_modules", "generated", "build", ".git"].map((name) => join(project, name));
  cpSync(project, copy, { recursive: true, filter: (path) => !left.includes(path) });
  const own = join(project, "node_modules");
  symlinkSync(existsSync(own) ? own : join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** The distinct mappings of a subgraph. */
function mappingsOf(project) {
  const { dataSources, templates } = parse(readFileSync(join(project, "subgraph.yaml"), "utf8"));
  return [...new Set([...dataSources, ...(templates ?? [])].map(({ mapping }) => mapping.file))];
}

function coldBuild(project) {
  return measure(project, [main, "build"], { GRAPHLOOM_CACHE: fresh("cache") }).seconds;
}

/** Builds once, and then after each edit of the first mapping. */
function builderAfterEdits(project) {
  const env = { GRAPHLOOM_CACHE: fresh("cache") };
  const mapping = join(project, mappingsOf(project)[0]);
  const text = readFileSync(mapping, "utf8");
  measure(project, [main, "build"], env);
  return () => {
    // Every edit is one that the cache has not seen before.
    writeFileSync(mapping, `${text}\n// ${made++}\n`);
    return measure(project, [main, "build"], env).seconds;
  };
}

function peerBuild(project) {
  return measure(project, [graph, "codegen"]).seconds + measure(project, [graph, "build"]).seconds;
}

/** The compiler alone with graph-cli's flags. The types are there already. */
function bareCompiler(project) {
  const globals = "node_modules/@graphprotocol/graph-ts/global/global.ts";
  const flags =
    "--explicitStart --exportRuntime --runtime stub --baseDir . --lib node_modules --optimize --debug";
  return mappingsOf(project).reduce((sum, mapping) => {
    const args = [asc, mapping, globals, ...flags.split(" "), "--outFile", `${fresh("bare")}.wasm`];
    return sum + measure(project, args).seconds;
  }, 0);
}

function say(name, ours, theirs, wanted) {
  const ratio = median(ours.map((each, run) => each / theirs[run]));
  if (ratio > wanted) misses.push(name);
  const verdict = ratio > wanted ? "MISSED" : "ok";
  const detail = `${median(ours).toFixed(2)} s against ${median(theirs).toFixed(2)} s`;
  console.log(`  ${name.padEnd(38)} ${ratio.toFixed(3)}  (at most ${wanted}: ${verdict})  ${detail}`);
}

function compare(project) {
  const [ours, edited, theirs] = [copyOf(project), copyOf(project), copyOf(project)];
  const again = builderAfterEdits(edited);
  const times = { cold: [], peer: [], bare: [], edit: [] };
  for (let run = 0; run < Number(runs); run++) {
    times.cold.push(coldBuild(ours));
    times.peer.push(peerBuild(theirs));
    times.bare.push(bareCompiler(theirs));
    times.edit.push(again());
  }
  console.log(`${basename(project)}, mappings: ${mappingsOf(project).length}`);
  say("cold, against codegen && build", times.cold, times.peer, 0.25);
  say("cold, against the bare compiler", times.cold, times.bare, 1);
  say("after an edit, against codegen && build", times.edit, times.peer, 0.1);
}

/** The example as a hand-written project. */
function example() {
  const project = fresh("uniswap-v3");
  measure(root, [main, "subgraph", "init", "--from-config", uniswap, "--target-path", project]);
  return project;
}

try {
  for (const project of given.length > 0 ? given : [example()]) compare(project);
  console.log(misses.length === 0 ? "\nall reached" : `\nmissed: ${misses.join("; ")}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
