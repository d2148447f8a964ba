// Runs scripts as processes of their own and tells what they cost.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const probe = fileURLToPath(new URL("./peak-memory.mjs", import.meta.url));

/**
 * Runs a script to its end.
 * @returns wall time and CPU time in seconds, and the most memory it held at once in MB
 */
export function measure(cwd, args, env = {}) {
  const report = join(tmpdir(), `graphloom-peak-${process.pid}`);
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", probe, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env, PEAK_MEMORY_FILE: report },
  });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(`${args.join(" ")} failed:\n${stdout}${stderr}`);
  const { cpu, memory } = JSON.parse(readFileSync(report, "utf8"));
  rmSync(report);
  return { seconds, cpu, megabytes: memory / 1024 };
}

/**
 * Starts a command that watches, and makes changes one after the other.
 * @param change makes the next change; told its number
 * @returns for each change, the seconds until the command had said all about it
 */
export function measureWatching(cwd, args, env, changes, change) {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } });
  const times = [];
  let said = "";
  let rounds = 0;
  let changed;
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) =>
      times.length < changes ? reject(new Error(`it ended with ${code}:\n${said}`)) : resolve(times),
    );
    child.stderr.on("data", (data) => {
      said += data;
      const now = said.match(/\bwatching \d+ files?\n/g)?.length ?? 0;
      if (now === rounds) return;
      rounds = now;
      if (changed !== undefined) times.push((performance.now() - changed) / 1000);
      if (times.length === changes) return void child.kill();
      // As somebody who types: not at once.
      setTimeout(() => {
        changed = performance.now();
        change(rounds);
      }, 200);
    });
  });
}

export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** A TCP port of this machine that is free at the moment. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
