// Measures builds as a user meets them, each as a process of its own, against the peer's tools on the project that is
// emitted, in turn, so that a change of the machine's speed meets both. Run: npm run bench [-- <runs>]
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root, tenAbis, tokens, uniswap } from "./configs.mjs";
import { measure, measureWatching, median } from "./process.mjs";

const runs = Number(process.argv[2] ?? 5);
const main = join(root, "dist/cli/main.js");
const graph = join(root, "node_modules/@graphprotocol/graph-cli/bin/run.js");
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
const misses = [];
let made = 0;

const fresh = (name) => join(folder, `${name}-${made++}`);

/** A configuration as a file. */
function saved(config) {
  const path = `${fresh("config")}.json`;
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Builds into a folder that is not there, with a cache that is empty. */
function coldBuild(config, target = fresh("target")) {
  const cache = fresh("cache");
  return measure(
    root,
    [main, "subgraph", "init", "--from-config", config, "--target-path", target, "--build"],
    {
      GRAPHLOOM_CACHE: cache,
    },
  );
}

function coldCheck(config) {
  return measure(root, [main, "check", config], { GRAPHLOOM_CACHE: fresh("cache") });
}

/** Builds again what is there already. */
function rebuild(config) {
  const [target, cache] = [fresh("target"), fresh("cache")];
  const args = [
    main,
    "subgraph",
    "init",
    "--from-config",
    config,
    "--target-path",
    target,
    "--build",
    "--force",
  ];
  measure(root, args, { GRAPHLOOM_CACHE: cache });
  return () => measure(root, args, { GRAPHLOOM_CACHE: cache });
}

/** `graph codegen && graph build` of the project that a configuration emits; its peak is that of the build. */
function peer(config) {
  const project = fresh("project");
  coldBuild(config, project);
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  return () => {
    const codegen = measure(project, [graph, "codegen"]);
    const build = measure(project, [graph, "build"]);
    return { seconds: codegen.seconds + build.seconds, megabytes: build.megabytes };
  };
}

function say(name, ratio, wanted, detail) {
  if (ratio > wanted) misses.push(name);
  const verdict = ratio > wanted ? "MISSED" : "ok";
  console.log(`${name.padEnd(44)} ${ratio.toFixed(3)}  (at most ${wanted}: ${verdict})  ${detail}`);
}

const seconds = (all) => `${median(all.map((each) => each.seconds)).toFixed(2)} s`;
const megabytes = (all) => `${median(all.map((each) => each.megabytes)).toFixed(0)} MB`;

/** Runs several things in turn. */
function inTurn(...tasks) {
  const results = tasks.map(() => []);
  for (let run = 0; run < runs; run++)
    for (const [index, task] of tasks.entries()) results[index].push(task());
  return results;
}

/** The median of the ratios of pairs. */
function ratioOf(a, b, of = (each) => each.seconds) {
  return median(a.map((each, run) => of(each) / of(b[run])));
}

try {
  const again = rebuild(uniswap);
  const [built, theirs, checked, rebuilt] = inTurn(
    () => coldBuild(uniswap),
    peer(uniswap),
    () => coldCheck(uniswap),
    again,
  );
  const against = `against ${seconds(theirs)} of graph codegen && graph build`;
  say("cold init --build, Uniswap example", ratioOf(built, theirs), 0.25, `${seconds(built)} ${against}`);
  say("unchanged rebuild", ratioOf(rebuilt, theirs), 0.04, `${seconds(rebuilt)} ${against}`);
  say("cold check", ratioOf(checked, theirs), 0.15, `${seconds(checked)} ${against}`);
  say(
    "peak memory of the cold build",
    ratioOf(built, theirs, (each) => each.megabytes),
    1,
    `${megabytes(built)} against ${megabytes(theirs)} of graph build`,
  );

  const copy = fresh("watched");
  cpSync(dirname(uniswap), copy, { recursive: true });
  const config = join(copy, "subgraph.json");
  const text = readFileSync(config, "utf8");
  // Every edit is one that nobody has seen before.
  const edited = '+ \\"/\\" +';
  if (!text.includes(edited)) throw new Error("the example has no expression to edit");
  const env = { GRAPHLOOM_CACHE: fresh("cache") };
  const changes = 3 * runs;
  const watched = await measureWatching(
    copy,
    [main, "check", "subgraph.json", "--watch"],
    env,
    changes,
    (number) => writeFileSync(config, text.replace(edited, edited.replace("/", `/${number}/`))),
  );
  say(
    "edit of an expression, until it is checked",
    median(watched) / median(theirs.map((each) => each.seconds)),
    0.05,
    `${median(watched).toFixed(2)} s ${against}`,
  );

  const ten = saved(tenAbis());
  const [tenBuilt, tenTheirs] = inTurn(() => coldBuild(ten), peer(ten));
  say(
    "10 ABIs, cold",
    ratioOf(tenBuilt, tenTheirs),
    0.15,
    `${seconds(tenBuilt)} against ${seconds(tenTheirs)}`,
  );

  const chains = ["mainnet", "base", "arbitrum-one", "optimism", "matic"];
  const [one, many] = [saved(tokens(1, chains)), saved(tokens(500, chains))];
  const [manyBuilt, oneBuilt] = inTurn(
    () => coldBuild(many),
    () => coldBuild(one),
  );
  say(
    "500 instances over 5 chains against 1",
    ratioOf(manyBuilt, oneBuilt),
    1.3,
    `${seconds(manyBuilt)} against ${seconds(oneBuilt)}`,
  );

  const [help, version] = inTurn(
    () => measure(root, [main, "--help"]),
    () => measure(root, [main, "--version"]),
  );
  const limit = 0.15;
  for (const [name, all] of [
    ["--help", help],
    ["--version", version],
  ])
    say(`graphloom ${name}, of ${limit} s`, median(all.map((each) => each.seconds)) / limit, 1, seconds(all));
  console.log(misses.length === 0 ? "\nall reached" : `\nmissed: ${misses.join("; ")}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
