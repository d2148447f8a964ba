import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Doorkeeper, standBefore } from "../../hosting/doorkeeper.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
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
});

const reading = (to: number): string => `--rpc mainnet=${door.url} --from-block 0 --to-block ${to}`;

/** The methods that a run asks the node for, and how often. */
async function runIt(cwd: string, options: string): Promise<Readonly<Record<string, number>>> {
  door.methods.length = 0;
  const { code, err } = await graphloom(cwd, `run subgraph.json --output json ${options}`, {
    env: sharedCache,
  });
  expect(code, err).toBe(0);
  const calls: Record<string, number> = {};
  for (const method of door.methods) calls[method] = (calls[method] ?? 0) + 1;
  return calls;
}

async function planIt(cwd: string, options: string) {
  const { code, out, err } = await graphloom(cwd, `plan subgraph.json --output json ${options}`, {
    env: sharedCache,
  });
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

/** The files of a folder, and what is in them. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, "base64")]),
  );
}

describe("plan", () => {
  it("predicts the exact requests of a run when the samples cover the whole range", async () => {
    const cwd = exampleFolder(traded.factory);
    const { plan, calls } = await planIt(cwd, reading(last));
    expect(calls).toEqual(await runIt(cwd, reading(last)));
    expect(plan).toMatchObject({ from: 0, to: last, blocks: last + 1, samples: [{ from: 0 }] });
    expect(plan.bytes.estimate).toBeGreaterThan(1000);
    expect(plan.notes.join("\n")).toContain("the configuration has templates");
  });

  it("is within twice of the real number of requests of an uneven chain", async () => {
    const cwd = exampleFolder(traded.factory);
    const { plan } = await planIt(cwd, `${reading(last + 300)} --samples 3 --sample-blocks ${last}`);
    const real = await runIt(cwd, reading(last + 300));
    const total = Object.values(real).reduce((sum, calls) => sum + calls, 0);
    expect(plan.samples.length).toBeGreaterThan(1);
    expect(plan.calls.estimate).toBeGreaterThan(total / 2);
    expect(plan.calls.estimate).toBeLessThan(total * 2);
  });

  it("does not count data in the archive, and does not change the archive", async () => {
    const cwd = exampleFolder(traded.factory);
    const before = await planIt(cwd, `${reading(last)} --archive kept`);
    expect(existsSync(join(cwd, "kept"))).toBe(false);
    expect(before.calls).toEqual(await runIt(cwd, `${reading(last)} --archive kept`));
    const content = contentOf(join(cwd, "kept"));
    expect(Object.keys(content).length).toBeGreaterThan(3);
    const { plan } = await planIt(cwd, `${reading(last)} --archive kept`);
    expect(plan.calls.estimate).toBe(0);
    // The farther end is not in the archive: a run would add to it.
    expect((await planIt(cwd, `${reading(last + 100)} --archive kept`)).plan.calls.estimate).toBeGreaterThan(
      0,
    );
    expect(contentOf(join(cwd, "kept"))).toEqual(content);
  });

  it("shows each figure with its source", async () => {
    const cwd = exampleFolder(traded.factory);
    const { code, out, err } = await graphloom(cwd, `plan subgraph.json ${reading(last)} --archive kept`, {
      env: sharedCache,
    });
    expect(code, err).toBe(0);
    expect(out).toMatch(
      /^mainnet: blocks 0-\d+, \d+ blocks; the first from the command line, the last from the command line$/m,
    );
    expect(out).toMatch(/^ {2}samples: all of them, indexed$/m);
    expect(out).toMatch(/^ {2}logs: \d+, counted in all blocks$/m);
    expect(out).toMatch(/^ {2}eth_chainId +\d +\d-\d .* once per run$/m);
    for (const figure of ["eth_getLogs", "triggers", "entity versions", "time", "database", "archive"])
      expect(out).toMatch(new RegExp(`^ {2}${figure} +\\d.* measured$`, "m"));
  });

  it.each([
    ["--samples 0 --rpc http://127.0.0.1:9", 2, "--samples must be a whole number"],
    ["", 2, "No node to index from."],
    ["--rpc http://127.0.0.1:9 --patience 0", 3, "127.0.0.1:9"],
  ])("rejects %s with a reason", async (options, expected, why) => {
    const { code, out, err } = await graphloom(
      exampleFolder(traded.factory),
      `plan subgraph.json ${options}`,
      { env: sharedCache },
    );
    expect([code, out], err).toEqual([expected, ""]);
    expect(err).toContain(why);
  });

  it("says that a chain ends before the first block", async () => {
    const cwd = exampleFolder(traded.factory);
    const { code, out, err } = await graphloom(cwd, `plan subgraph.json --rpc mainnet=${door.url}`, {
      env: sharedCache,
    });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("mainnet: no plan: the chain ends at block");
    expect(err).toContain("before the first block to index");
    expect(err).toContain("--from-block 0");
  });
});

describe("run --plan", () => {
  it("shows the plan, runs, and compares both at the end", async () => {
    const cwd = exampleFolder(traded.factory);
    const line = `run subgraph.json ${reading(last)} --plan --database db --archive kept --output json`;
    door.methods.length = 0;
    const { code, out, err } = await graphloom(cwd, line, { env: sharedCache });
    expect(code, err).toBe(0);
    expect(err).toMatch(/^ {2}METHOD +CALLS .* SOURCE$/m);
    expect(err.indexOf("planned and real")).toBeGreaterThan(err.indexOf("METHOD"));
    expect(err).toMatch(/^ {2}eth_getLogs +(\d+) +\1 +1\.00$/m);
    const { plan, triggers } = JSON.parse(out).mainnet;
    const of = (name: string) => plan.find(({ figure }: { figure: string }) => figure === name);
    expect(of("triggers")).toEqual({ figure: "triggers", unit: "count", planned: triggers, real: triggers });
    expect(of("requests").real).toBe(of("requests").planned);
    for (const figure of ["answers", "database", "archive"]) {
      const { planned, real } = of(figure);
      expect(real / planned, figure).toBeGreaterThan(0.8);
      expect(real / planned, figure).toBeLessThan(1.25);
    }
    const kept = Object.values(contentOf(join(cwd, "kept")));
    const bytes = kept.reduce((sum, text) => sum + Buffer.from(text, "base64").length, 0);
    expect(of("archive").real).toBe(bytes);
  });

  it("plans only blocks that the database and the archive do not have yet", async () => {
    const cwd = exampleFolder(traded.factory);
    const database = postgresMissing === undefined ? await serverDatabase() : "db";
    const line = (to: number): string =>
      `run subgraph.json ${reading(to)} --plan --database ${database} --archive kept --output json`;
    await graphloom(cwd, line(last - 10), { env: sharedCache });
    const { err } = await graphloom(cwd, line(last), { env: sharedCache });
    expect(err).toContain(`mainnet: blocks ${last - 9}-${last}, 10 blocks; the first from the database`);
    const done = await graphloom(cwd, line(last), { env: sharedCache });
    expect(done.err).toContain(`no plan: everything up to block ${last} is indexed already`);
    expect(done.code, done.err).toBe(0);
  });

  it.each([
    ["--plan --watch", "--plan and --watch contradict each other"],
    ["--plan --offline --archive kept", "--plan requires a node"],
  ])("refuses %s", async (options, why) => {
    const { code, err } = await graphloom(exampleFolder(traded.factory), `run subgraph.json ${options}`);
    expect(code).toBe(2);
    expect(err).toContain(why);
  });
});
