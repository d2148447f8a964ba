import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Doorkeeper, standBefore } from "../../hosting/doorkeeper.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { graphloom } from "../harness.js";
import { exampleFolder, type Traded, trade } from "./chains.js";

const anvil = useAnvil(["--chain-id", "1"]);
let traded: Traded;
let last: number;
let door: Doorkeeper;

beforeAll(async () => {
  traded = await trade(anvil(), 20);
  last = await anvil().blockNumber();
  await anvil().mine(600);
  door = await standBefore(anvil().url);
  return () => door.stop();
}, 180_000);

const reading = (to: number): string => `--rpc mainnet=${door.url} --from-block 0 --to-block ${to}`;

/** The methods that a run asks the node for, and how often. */
async function runIt(cwd: string, options: string): Promise<Readonly<Record<string, number>>> {
  door.methods.length = 0;
  const { code, err } = await graphloom(cwd, `run subgraph.json --output json ${options}`);
  expect(code, err).toBe(0);
  const calls: Record<string, number> = {};
  for (const method of door.methods) calls[method] = (calls[method] ?? 0) + 1;
  return calls;
}

async function planIt(cwd: string, options: string) {
  const { code, out, err } = await graphloom(cwd, `plan subgraph.json --output json ${options}`);
  expect(code, err).toBe(0);
  const { mainnet } = JSON.parse(out);
  const methods = mainnet.methods as readonly {
    method: string;
    calls: { estimate: number; least: number; most: number };
  }[];
  return {
    plan: mainnet,
    calls: Object.fromEntries(methods.map(({ method, calls }) => [method, calls.estimate])),
  };
}

describe("plan", () => {
  it("says exactly what run will send, when the samples are the whole range", async () => {
    const cwd = exampleFolder(traded.factory);
    const { plan, calls } = await planIt(cwd, reading(last));
    expect(calls).toEqual(await runIt(cwd, reading(last)));
    expect(plan).toMatchObject({ from: 0, to: last, blocks: last + 1, samples: [{ from: 0 }] });
    expect(plan.bytes.estimate).toBeGreaterThan(1000);
    expect(plan.notes.join("\n")).toContain("the configuration has templates");
  });

  it("gives a range that holds the real number of requests of an uneven chain", async () => {
    const cwd = exampleFolder(traded.factory);
    const { plan } = await planIt(cwd, `${reading(last + 300)} --samples 3 --sample-blocks ${last}`);
    const real = await runIt(cwd, reading(last + 300));
    const total = Object.values(real).reduce((sum, calls) => sum + calls, 0);
    expect(plan.samples).toHaveLength(3);
    expect(plan.calls.least).toBeLessThanOrEqual(total);
    expect(plan.calls.most).toBeGreaterThanOrEqual(total);
  });

  it("does not count what the archive has, and adds nothing to it", async () => {
    const cwd = exampleFolder(traded.factory);
    const before = await planIt(cwd, `${reading(last)} --archive kept`);
    expect(existsSync(join(cwd, "kept", "1", "manifest.jsonl"))).toBe(true);
    expect(existsSync(join(cwd, "kept", "1", "blocks"))).toBe(false);
    expect(before.calls).toEqual(await runIt(cwd, `${reading(last)} --archive kept2`));
    await runIt(cwd, `${reading(last)} --archive kept`);
    expect((await planIt(cwd, `${reading(last)} --archive kept`)).plan.calls.estimate).toBe(0);
  });

  it("shows a table", async () => {
    const cwd = exampleFolder(traded.factory);
    const { code, out } = await graphloom(cwd, `plan subgraph.json ${reading(last)}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^mainnet: blocks 0-\d+, \d+ blocks; all of them read$/m);
    expect(out).toMatch(/^ {2}eth_getLogs +\d+ +\d+-\d+ /m);
    expect(out).toContain("disk is not estimated");
  });

  it.each([
    ["--samples 0 --rpc http://127.0.0.1:9", 2, "--samples must be a whole number"],
    ["", 2, "No node to index from."],
    ["--rpc http://127.0.0.1:9 --patience 0", 3, "127.0.0.1:9"],
  ])("rejects %s with a reason", async (options, expected, why) => {
    const { code, out, err } = await graphloom(
      exampleFolder(traded.factory),
      `plan subgraph.json ${options}`,
    );
    expect([code, out], err).toEqual([expected, ""]);
    expect(err).toContain(why);
  });

  it("says that a chain ends before the first block", async () => {
    const cwd = exampleFolder(traded.factory);
    const { code, out } = await graphloom(cwd, `plan subgraph.json --rpc mainnet=${door.url}`);
    expect(code).toBe(1);
    expect(out).toContain("before the first block to index");
    expect(out).toContain("--from-block 0");
  });
});
