import { beforeAll, expect, it } from "vitest";
import { type Doorkeeper, standBefore } from "../../hosting/doorkeeper.js";
import { type Contract, callOf, useAnvil } from "../../support/chain/anvil.js";
import { graphloom, workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const anvil = useAnvil();
let counter: Contract;
let door: Doorkeeper;
/** Whether the node leaves the last log out of its answers for block ranges. */
let isShort = true;

/** Creates three equal events in each of two final blocks, and three in a block near the chain head. */
beforeAll(async () => {
  counter = await deployCounter(anvil());
  const three = [1, 1, 1].map((number) => callOf(counter, "count", [number]));
  await anvil().inOneBlock(three);
  await anvil().inOneBlock(three);
  await anvil().mine(300);
  await anvil().inOneBlock(three);
  door = await standBefore(anvil().url);
  door.tell = ({ method, params: [filter] }, result) => {
    const isRange = method === "eth_getLogs" && !(filter as { readonly blockHash?: string }).blockHash;
    return isRange && isShort ? (result as readonly object[]).slice(0, -1) : result;
  };
  return () => door.stop();
});

async function run(verify: string): Promise<{ counted: number; leftOut: number; err: string }> {
  const cwd = workplace({ "c.json": counterConfig({ mainnet: counter }, "event.params.number") });
  const options = `--rpc mainnet=${door.url} --from-block 0 --output json --verify ${verify}`;
  const { code, out, err } = await graphloom(cwd, `run c.json ${options}`);
  expect(code, err).toBe(0);
  const { entities, logsLeftOut } = JSON.parse(out).mainnet;
  return { counted: entities.Counted.length, leftOut: logsLeftOut, err };
}

it.each([
  "bloom",
  "receipts",
])("INV-R3: run finds, names and counts the logs that a node leaves out: %s", async (verify) => {
  isShort = true;
  const { counted, leftOut, err } = await run(verify);
  expect(counted).toBe(9);
  expect(leftOut).toBeGreaterThan(0);
  const named = [...err.matchAll(/^mainnet: the node left out (\d+) logs? in block \d+$/gm)];
  expect(named.reduce((sum, [, logs]) => sum + Number(logs), 0)).toBe(leftOut);
  isShort = false;
  expect(await run(verify)).toEqual({ counted: 9, leftOut: 0, err: "" });
});

it("run trusts the node with --verify off", async () => {
  isShort = true;
  expect((await run("off")).counted).toBeLessThan(9);
});

it("run rejects an unknown value of --verify", async () => {
  const { code, err } = await graphloom(workplace({ "c.json": "{}" }), "run c.json --verify always");
  expect(code).toBe(2);
  expect(err).toContain('"off", "bloom", "receipts"');
});
