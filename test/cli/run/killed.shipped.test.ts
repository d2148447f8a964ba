import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { swapping, type Uniswap } from "../../support/chain/uniswap.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.js";
import { propertySeed } from "../../support/property/property-run.js";
import { until } from "../../support/until.js";
import { exampleFolder, type Traded, trade } from "./chains.js";

/** How often a process is killed per place, and in each place. By default, the seed selects one place. */
const asked = process.env.GRAPHLOOM_KILLS;
const kills = Number(asked ?? 1);

/** Limit of the test in milliseconds for a number of places. */
const patience = (places: number): number => 120_000 + 30_000 * kills * places;

/** Places for entities: a folder, and a database on a server if one is available. */
const allPlaces: readonly (() => Promise<string>)[] = [
  async () => "kept",
  ...(postgresMissing === undefined ? [serverDatabase] : []),
];
const places = allPlaces.filter(
  (_, index) => asked !== undefined || index === (propertySeed + 1) % allPlaces.length,
);

// With this explicit limit, anvil keeps all states in memory. By default, it drops those of old blocks after some
// thousands, and then a run that reads contracts cannot start again.
const anvil = useAnvil(["--prune-history", "1000000"]);

/** The proxy through which the killed processes reach the chain. It records their requests. */
let watched: FaultyProxy;
beforeAll(async () => {
  watched = await startFaultyProxy(anvil().url);
});
afterAll(() => watched.stop());

it("a run that is killed at random moments of a changing chain ends with the same entities as an undisturbed run", {
  timeout: patience(places.length),
}, async () => {
  const random = randomNumbers(propertySeed);
  const traded = await trade(anvil(), 3);
  // A block that anvil mines automatically while it reverts others is lost for good.
  await anvil().setAutomine(false);
  const cwd = exampleFolder(traded.factory);
  let isOver = false;
  const chain = keepTrading(traded, random, () => isOver);
  const kept: string[][] = [];
  for (const placeOf of places) {
    const flags = ["--database", await placeOf()];
    expect(await killed(cwd, flags, random)).toBe(kills);
    kept.push(flags);
  }
  isOver = true;
  await chain;
  await anvil().setAutomine(true);
  const clean = await entities(cwd, []);
  expect(JSON.stringify(clean).length).toBeGreaterThan(1_000);
  for (const flags of kept) expect(await entities(cwd, flags)).toEqual(clean);
});

if (postgresMissing !== undefined) it.skip(postgresMissing, () => undefined);

/** Starts runs and kills them. @returns the number of kills */
async function killed(cwd: string, kept: readonly string[], random: () => number): Promise<number> {
  let times = 0;
  for (; times < kills; times++) {
    const head = await anvil().blockNumber();
    const earlier = watched.received.length;
    const child = start(cwd, watched.origin, [...kept, "--watch"]);
    // Kill some runs before they start to index, but most of them in the middle of their work.
    if (random() < 0.2) await sleep(random() * 3_000);
    else {
      await until(() => child.exitCode !== null || hasPassed(head, earlier));
      await sleep(random() * 2_000);
    }
    if (child.exitCode !== null) throw new Error("it ended by itself");
    child.kill("SIGKILL");
    await once(child, "close");
  }
  return times;
}

/** Whether a run has asked for blocks after this one, so that it has stored some. @param earlier requests to skip */
function hasPassed(block: number, earlier: number): boolean {
  return watched.received.slice(earlier).some(({ body }) =>
    [body].flat().some((call) => {
      const { method, params } = call as { readonly method: string; readonly params: readonly unknown[] };
      const [range] = params as readonly { readonly fromBlock?: string }[];
      return method === "eth_getLogs" && Number(range?.fromBlock) > block;
    }),
  );
}

/** Swaps and sometimes reverts the last few swaps, until it is stopped. */
async function keepTrading(
  { uniswap, pool }: Traded,
  random: () => number,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const before = await anvil().snapshot();
    await swapSome(uniswap, pool, 1 + Math.floor(random() * 4), random);
    if (random() < 0.4) {
      await anvil().revert(before);
      await swapSome(uniswap, pool, 2 + Math.floor(random() * 4), random);
    }
    await sleep(random() * 300);
  }
}

async function swapSome(
  uniswap: Uniswap,
  pool: Traded["pool"],
  times: number,
  random: () => number,
): Promise<void> {
  for (let time = 0; time < times; time++) {
    const amount = BigInt(1 + Math.floor(random() * 1_000)) * 10n ** 12n;
    await anvil().submit(swapping(anvil(), uniswap, pool, amount));
    await anvil().mine(1);
  }
}

function start(cwd: string, node: string, more: readonly string[]) {
  const main = resolve("dist/cli/main.js");
  const line = ["run", "subgraph.json", "--rpc", node, "--from-block", "0", ...more];
  return spawn(process.execPath, [main, ...line], { cwd, env: { ...process.env, ...sharedCache } });
}

async function entities(cwd: string, more: readonly string[]): Promise<unknown> {
  const child = start(cwd, anvil().url, [...more, "--output", "json"]);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  const [code] = await once(child, "close");
  expect(code, err).toBe(0);
  const [chain] = Object.values<{ readonly entities: unknown }>(JSON.parse(out));
  return chain?.entities;
}

/** Random numbers from 0 to 1, the same ones for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
