// A local chain, and the world it is reached in.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Starts a local chain.
 * @param keepsStates whether contracts can be read as of blocks of the past
 * @param timestamp of the first block, in seconds; the current time without it
 */
export async function startAnvil({ keepsStates = false, timestamp } = {}) {
  const ours = createRequire(import.meta.url);
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : "arm64"}`;
  const binary = createRequire(ours.resolve("@foundry-rs/anvil/package.json")).resolve(`${name}/bin/anvil`);
  // No state of the past, and none that grows with every block: both make a block cost more the more there are, until
  // thousands take minutes.
  const cheap = [...(keepsStates ? [] : ["--prune-history"]), "--hardfork", "shanghai"];
  const since = timestamp === undefined ? [] : ["--timestamp", String(timestamp)];
  const child = spawn(binary, ["--port", "0", "--gas-limit", "1000000000", ...cheap, ...since], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  for await (const piece of child.stdout) {
    printed += piece;
    const found = /Listening on (\S+)/.exec(printed);
    if (found) return { url: `http://${found[1]}`, pid: child.pid, stop: () => child.kill("SIGKILL") };
  }
  throw new Error("anvil did not start");
}

/** The real world. */
export const world = {
  fetch: (url, request) => fetch(url, request),
  now: () => Date.now(),
  sleep,
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  random: () => Math.random(),
};
