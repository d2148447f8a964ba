// Measures `graphloom build` of hand-written subgraphs with both values of --optimize, each run as a process of its own, in
// turn with graph-cli and with the bare AssemblyScript compiler, once per mapping. An edit changes one mapping, each time the
// next one. By default the subgraph is the one that the Uniswap example emits.
// Run: npm run bench:project [-- <runs> [<folder of a subgraph>…]]
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { root, uniswap } from "./configs.mjs";
import { measure, measureWatching, median } from "./process.mjs";

const [runs = "3", ...given] = process.argv.slice(2);
const main = join(root, "dist/cli/main.js");
const graphCliName = "@graphprotocol/graph-cli";
const graph = join(root, "node_modules", graphCliName, "bin/run.js");
const asc = join(root, "node_modules/assemblyscript/bin/asc");
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
const misses = [];
let made = 0;

/** What each mode promises at most: `fast` is the mode of edits, `full` makes the bytes of graph-cli. */
const wanted = {
  fast: { cold: 0.25, bare: 1, edit: 0.1 },
  full: { cold: 1, bare: 1 },
};

const fresh = (name) => join(folder, `${name}-${made++}`);

/** A copy of a subgraph without what a build makes, with its packages, or with ours if it has none, and with our graph-cli. */
function copyOf(project) {
  const copy = fresh(basename(project));
  const left = ["node_modules", "generated", "build", ".git"].map((name) => join(project, name));
  cpSync(project, copy, { recursive: true, filter: (path) => !left.includes(path) });
  const own = join(project, "node_modules");
  const ours = join(root, "node_modules");
  linkPackages(existsSync(own) ? own : ours, join(copy, "node_modules"));
  const graphCli = join(copy, "node_modules", graphCliName);
  // Both build as this version of graph-cli does, so that their bytes can be compared.
  rmSync(graphCli, { force: true });
  symlinkSync(join(ours, graphCliName), graphCli);
  return copy;
}

/** Makes a folder of packages with links to those of another. */
function linkPackages(from, to) {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name.startsWith("@")) linkPackages(join(from, name), join(to, name));
    else symlinkSync(join(from, name), join(to, name));
  }
}

/** The distinct mappings of a subgraph. */
function mappingsOf(project) {
  const { dataSources, templates } = parse(readFileSync(join(project, "subgraph.yaml"), "utf8"));
  return [...new Set([...dataSources, ...(templates ?? [])].map(({ mapping }) => mapping.file))];
}

/** Changes a mapping, in a way that the cache has not seen before. */
function edit(project, round) {
  const mappings = mappingsOf(project);
  appendFileSync(join(project, mappings[round % mappings.length]), `\n// ${made++}\n`);
}

const buildIn = (mode) => [main, "build", "--optimize", mode];
const withCache = () => ({ GRAPHLOOM_CACHE: fresh("cache") });

function coldBuild(project, mode) {
  return measure(project, buildIn(mode), withCache()).seconds;
}

/** Builds once, and then in a process of its own after each edit. */
function builderAfterEdits(project, mode) {
  const env = withCache();
  measure(project, buildIn(mode), env);
  return (round) => {
    edit(project, round);
    return measure(project, buildIn(mode), env).seconds;
  };
}

/** Watches, and edits: the seconds from each edit until the command has said that it watches again. */
function watchEdits(project, mode, edits) {
  return measureWatching(project, [...buildIn(mode), "--watch"], withCache(), edits, (round) =>
    edit(project, round),
  );
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

/** Whether two builds have the same modules, byte for byte. */
function areSameModules(ours, theirs) {
  const modulesOf = (project) =>
    readdirSync(join(project, "build"), { recursive: true }).filter((path) => path.endsWith(".wasm"));
  const modules = modulesOf(theirs);
  const bytes = (project, path) => readFileSync(join(project, "build", path));
  return (
    modulesOf(ours).length === modules.length &&
    modules.every(
      (path) => existsSync(join(ours, "build", path)) && bytes(ours, path).equals(bytes(theirs, path)),
    )
  );
}

/** @param most the ratio that is promised; without it, the ratio is only shown */
function say(name, ours, theirs, most) {
  const ratio = median(ours.map((each, run) => each / theirs[run]));
  const isMissed = most !== undefined && ratio > most;
  if (isMissed) misses.push(name);
  const verdict = most === undefined ? "" : `(at most ${most}: ${isMissed ? "MISSED" : "ok"})`;
  const detail = `${median(ours).toFixed(2)} s against ${median(theirs).toFixed(2)} s`;
  console.log(`  ${name.padEnd(57)} ${ratio.toFixed(3)}  ${verdict.padEnd(22)}  ${detail}`);
}

async function compare(project) {
  const theirs = copyOf(project);
  const modes = Object.keys(wanted).map((mode) => {
    const ours = copyOf(project);
    return { mode, ours, again: builderAfterEdits(copyOf(project), mode), cold: [], edited: [], watched: [] };
  });
  const times = { peer: [], bare: [] };
  for (let run = 0; run < Number(runs); run++) {
    for (const { mode, ours, again, cold, edited, watched } of modes) {
      cold.push(coldBuild(ours, mode));
      edited.push(again(run));
      watched.push(median(await watchEdits(copyOf(project), mode, 3)));
    }
    times.peer.push(peerBuild(theirs));
    times.bare.push(bareCompiler(theirs));
  }
  console.log(`${basename(project)}, mappings: ${mappingsOf(project).length}`);
  for (const { mode, ours, cold, edited, watched } of modes) {
    const most = wanted[mode];
    say(`${mode}, cold, against codegen && build`, cold, times.peer, most.cold);
    say(`${mode}, cold, against the bare compiler`, cold, times.bare, most.bare);
    say(`${mode}, --watch, after an edit, against codegen && build`, watched, times.peer, most.edit);
    say(`${mode}, new process after an edit, against codegen && build`, edited, times.peer);
    if (mode === "full") {
      const same = areSameModules(ours, theirs);
      if (!same) misses.push("full, the bytes of graph build");
      console.log(`  full, the bytes of graph build: ${same ? "yes" : "NO"}`);
    }
  }
}

/** The example as a hand-written project. */
function example() {
  const project = fresh("uniswap-v3");
  measure(root, [main, "subgraph", "init", "--from-config", uniswap, "--target-path", project]);
  return project;
}

try {
  for (const project of given.length > 0 ? given : [example()]) {
    if (existsSync(join(project, "subgraph.yaml"))) await compare(project);
    else console.log(`${basename(project)}: left out, it has no subgraph.yaml`);
  }
  console.log(misses.length === 0 ? "\nall reached" : `\nmissed: ${misses.join("; ")}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
