import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { propertySeed } from "../../support/property/property-run.js";
import { graphloom } from "../harness.js";
import { exampleFolder, trade } from "../run/chains.js";

/** How often a run is killed, while another one is at the same archive. */
const kills = Number(process.env.GRAPHLOOM_KILLS ?? 2);

// An archive does not ask nodes of this chain again and again which chain it is.
const anvil = useAnvil(["--chain-id", "1", "--prune-history", "1000000"]);

it("two runs on one archive that are killed at any moment leave it complete, with the chain's own data", {
  timeout: 180_000 + 20_000 * kills,
}, async () => {
  const random = randomNumbers(propertySeed);
  const { factory } = await trade(anvil(), 12);
  const last = await anvil().blockNumber();
  await anvil().mine(400);
  const cwd = exampleFolder(factory);
  const archive = join(cwd, "kept");
  let killed = 0;
  while (killed < kills) {
    // What an archive has is not written again: most rounds begin with an empty one.
    if (random() < 0.6) rmSync(archive, { recursive: true, force: true });
    const processes = [0, 1].map(() => {
      const from = Math.floor(random() * last);
      const to = from + Math.floor(random() * (last - from + 1));
      return start(cwd, ["run", "subgraph.json", ...reading(from, to)]);
    });
    const moments = processes.map(async (child, index) => {
      // Some before they have begun, most while they write; the second one may end by itself.
      if (random() < 0.2) await sleep(random() * 2_500);
      else await changes(archive, 1 + Math.floor(random() * 10), child);
      if (index === 1 && random() < 0.3) await ended(child);
      if (hasEnded(child)) return;
      child.kill("SIGKILL");
      await ended(child);
      if (child.signalCode === "SIGKILL") killed += 1;
    });
    await Promise.all(moments);
    await expectToBeWhole(cwd);
  }
  const clean = await told(cwd, ["run", "subgraph.json", ...reading(0, last).slice(0, -2)]);
  const filled = await told(cwd, ["run", "subgraph.json", ...reading(0, last)]);
  const again = await told(cwd, ["run", "subgraph.json", ...reading(0, last)]);
  expect(clean.out.length).toBeGreaterThan(1_000);
  expect(JSON.parse(filled.out)).toEqual(JSON.parse(clean.out));
  expect(JSON.parse(again.out)).toEqual(JSON.parse(clean.out));
  expect(again.err).toContain("mainnet: 0 requests to the node, the rest from the archive\n");
  await expectToBeWhole(cwd);
  await told(cwd, ["archive", "prune", "--archive", "kept"]);
  await expectToBeWhole(cwd);
  const pruned = await told(cwd, ["run", "subgraph.json", ...reading(0, last)]);
  expect(JSON.parse(pruned.out)).toEqual(JSON.parse(clean.out));
  expect(pruned.err).toContain("mainnet: 0 requests to the node, the rest from the archive\n");
});

/** The options of a run, of which the last two are about the archive. */
function reading(from: number, to: number): readonly string[] {
  const range = ["--from-block", `${from}`, "--to-block", `${to}`];
  return ["--rpc", anvil().url, ...range, "--output", "json", "--archive", "kept"];
}

/** Fails if `archive verify` finds a fault in what there is of the archive. */
async function expectToBeWhole(cwd: string): Promise<void> {
  if (!existsSync(join(cwd, "kept"))) return;
  const { code, out } = await graphloom(cwd, "archive verify --archive kept --output json");
  // Killed before the first line, there is no archive yet.
  if (!out.includes('"chains"')) expect(out).toContain("There is no archive in");
  else expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ ok: true })]);
}

/** Waits until files of a folder have changed so many times, or a process has ended. */
async function changes(folder: string, times: number, child: ChildProcess): Promise<void> {
  let state = stateOf(folder);
  for (let count = 0; count < times && !hasEnded(child); await sleep(1)) {
    const now = stateOf(folder);
    if (now !== state) count += 1;
    state = now;
  }
}

/** The names and sizes of all files below a folder. */
function stateOf(folder: string): string {
  if (!existsSync(folder)) return "";
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.map((name) => `${name} ${sizeOf(join(folder, name))}`).join("\n");
}

/** A draft may be gone by now. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function start(cwd: string, words: readonly string[]): ChildProcess {
  const main = resolve("dist/cli/main.js");
  return spawn(process.execPath, [main, ...words], { cwd, env: { ...process.env, ...sharedCache } });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function ended(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, "exit");
}

/** What a command prints that has to end well. It runs in this process, which takes less time. */
async function told(cwd: string, words: readonly string[]): Promise<{ out: string; err: string }> {
  const { code, out, err } = await graphloom(cwd, words.join(" "), { env: sharedCache });
  expect(code, err).toBe(0);
  return { out, err };
}

/** Numbers from 0 to 1 that are the same for a seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
