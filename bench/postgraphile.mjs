// PostGraphile, for comparison: installed from npm beside the project, never as a part of it, and asked for the rows of a table.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./process.mjs";

const version = "4.14.1";
const folder =
  process.env.GRAPHLOOM_BENCH_POSTGRAPHILE ?? join(tmpdir(), `graphloom-bench-postgraphile-${version}`);
const script = join(folder, "node_modules/postgraphile/cli.js");
/** Milliseconds. */
const longestInstall = 120_000;

/** Installs it, unless that was done before. @returns why it is missing, if it is */
export function installPostGraphile() {
  if (existsSync(script)) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--no-audit", "--no-fund", "--save-exact", `postgraphile@${version}`];
  const { status, error, stderr } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    timeout: longestInstall,
  });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split("\n").slice(-3).join(" ");
}

/**
 * Starts it on one schema of a database, as its documentation advises for production.
 * @returns its port and its process id, once it answers, and what ends it
 */
export async function startPostGraphile(database, schema) {
  const port = await freePort();
  const words = ["-c", database, "-s", schema, "-n", "127.0.0.1", "-p", String(port)];
  const options = [
    "--retry-on-init-fail",
    "--disable-query-log",
    "--no-ignore-rbac",
    "--max-pool-size",
    "10",
  ];
  const child = spawn(process.execPath, [script, ...words, ...options], {
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => {
    said = (said + text).slice(-2_000);
  });
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ __typename }" }),
    }).catch(() => undefined);
    if (answer?.ok) return { port, pid: child.pid, stop: () => child.kill("SIGKILL") };
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`PostGraphile did not start: ${said}`);
}
