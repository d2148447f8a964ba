// Packs what would be published, installs it into an empty folder as anybody would, and uses it there: the version, a
// build of the example it comes with, and the demo for a moment. Needs the registry, and a minute.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "graphloom-package-"));
const project = join(place, "project");
const home = join(place, "home");
const env = { PATH: process.env.PATH, HOME: home, npm_config_cache: join(home, "npm") };
for (const name of ["npm_config_registry", "npm_config_userconfig", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"])
  if (process.env[name] !== undefined) env[name] = process.env[name];

function run(command, args, cwd = project) {
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function check(isRight, what) {
  if (!isRight) throw new Error(`It is not so: ${what}`);
  console.log(`ok  ${what}`);
}

/** The demo, until it answers; then it is interrupted, as by Ctrl-C. */
async function tryDemo() {
  const child = spawn(join(project, "node_modules/.bin/graphloom"), ["dev", "--demo", "--port", "0"], {
    ...{ cwd: project, env, stdio: ["ignore", "pipe", "pipe"] },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const ended = new Promise((resolve) => child.on("close", resolve));
  try {
    let address;
    for (let waited = 0; address === undefined && waited < 90; waited++) {
      [address] = /http:\/\/\S+\/gn/.exec(said) ?? [];
      await sleep(1000);
    }
    check(address !== undefined, `dev --demo says an address\n${address === undefined ? said : ""}`.trim());
    let block = 0;
    for (let waited = 0; block === 0 && waited < 60; waited++) {
      const body = JSON.stringify({ query: "{ _meta { block { number } } }" });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(address, { method: "POST", headers, body });
      block = (await answer.json()).data?._meta?.block?.number ?? 0;
      await sleep(1000);
    }
    check(block > 0, `dev --demo answers a query, at block ${block}`);
  } finally {
    child.kill("SIGINT");
  }
  await ended;
}

try {
  mkdirSync(project);
  mkdirSync(home);
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--silent", "--pack-destination", place], {
      ...{ cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
    }).replace(/^[^[]*/s, ""),
  );
  console.log(`${packed.filename}: ${packed.size} bytes, ${packed.files.length} files`);
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  run("npm", ["install", "--no-audit", "--no-fund", join("..", packed.filename)]);
  const lock = JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
  const installed = Object.entries(lock.packages);
  const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name);
  check(
    running.length === 0,
    `none of ${installed.length} packages runs a script when it is installed: ${running}`,
  );
  const folder = join(project, "node_modules/graphloom");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  check(files.length === packed.files.length, "what is installed is what was packed: nothing was built");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  check(run("npx", ["graphloom", "--version"]) === `${version}\n`, "npx graphloom --version");
  const example = "node_modules/graphloom/examples/demo/subgraph.json";
  run("npx", ["graphloom", "compile", example, "--out", "out", "--build"]);
  check(readdirSync(join(project, "out/build")).length > 0, "npx graphloom compile --build");
  await tryDemo();
} finally {
  rmSync(place, { recursive: true, force: true });
}
