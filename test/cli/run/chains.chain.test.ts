import { describe, expect, it } from "vitest";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { startFaultyNode } from "../../support/chain/faulty-node.js";
import { Doorway } from "../../support/server/doorway.js";
import { graphloom, workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const main = useAnvil();
const other = useAnvil();

describe("run with several chains", () => {
  it("indexes them together, and leaves out those without a node", async () => {
    const here = await deployCounter(main());
    const there = await deployCounter(other());
    await main().send(here, "count", [1]);
    await other().send(there, "count", [2]);
    await other().send(there, "count", [3]);
    const text = counterConfig({ mainnet: here, base: there, xdai: there }, "event.params.number");
    const cwd = workplace({ "c.json": text });
    const both = await graphloom(
      cwd,
      `run c.json --rpc base=${other().url} --rpc mainnet=${main().url} --output json --entity Counted`,
    );
    expect([both.code, both.err]).toEqual([0, ""]);
    const document = JSON.parse(both.out);
    expect(Object.keys(document)).toEqual(["mainnet", "base"]);
    expect(document.mainnet.entities.Counted).toMatchObject([{ number: "1" }]);
    expect(document.base.entities.Counted).toMatchObject([{ number: "2" }, { number: "3" }]);
    const one = await graphloom(cwd, `run c.json --rpc base=${other().url} --output json`);
    expect(Object.keys(JSON.parse(one.out))).toEqual(["base"]);
    const none = await graphloom(cwd, `run c.json --rpc ${main().url}`);
    expect([none.code, none.out]).toEqual([2, ""]);
    expect(none.err).toContain("Chains in the configuration: mainnet, base, xdai");
  });

  it("ends all chains when one of them cannot continue", async () => {
    const contract = await deployCounter(main());
    await main().send(contract, "count", [4]);
    const contracts = { mainnet: contract, base: contract };
    const text = counterConfig(contracts, "event.params.number", { debugging: true });
    const ending = await startFaultyNode(() => null);
    ending.rule(() => ({ kind: "silence" }));
    const { code, out, err } = await graphloom(
      workplace({ "c.json": text }),
      `run c.json --rpc mainnet=${main().url} --rpc base=${ending.url} --watch --patience 1`,
      // Stop the node once the other chain has stored an entity.
      { onErr: (printed) => void (printed.includes("saved Note") && ending.stop()) },
    );
    expect(code).toBe(3);
    expect(out).toContain("\nCounted: 1\n");
    expect(out).not.toContain("base:");
    expect(err).toMatch(
      /\nbase: eth_getBlockByNumber: no usable answer from http:\S+ after \d+ attempts in \d+ s\. Last problem: .*\n$/,
    );
  });
});

describe("run with a node that stays unreachable", () => {
  /** Runs with a node that stops answering for good once an event was saved. */
  async function runToOutage(options: string): ReturnType<typeof graphloom> {
    const door = new Doorway(main);
    const contract = await deployCounter(main());
    await main().send(contract, "count", [5]);
    await door.open();
    const value = "calls.half === null ? event.params.number : calls.half!";
    const text = counterConfig({ mainnet: contract }, value, { debugging: true });
    const line = `run c.json --rpc ${door.url} --watch --patience 5 --entity Counted ${options}`;
    const ran = await graphloom(workplace({ "c.json": text }), line, {
      onErr: (printed) => {
        if (printed.includes("saved Note")) void door.kill();
      },
    });
    await door.kill();
    return ran;
  }

  // These run at the same time, because most of the time is spent waiting.
  it("shows all complete blocks, in every output format, then reports why it ended", async () => {
    const [plain, json, ndjson] = await Promise.all([
      runToOutage(""),
      runToOutage("--output json"),
      runToOutage("--output ndjson"),
    ]);
    expect([plain.code, json.code, ndjson.code]).toEqual([3, 3, 3]);
    expect(plain.out).toMatch(/^mainnet: blocks 0 to \d+, 1 trigger, 1 call\n\nCounted: 1\n/);
    expect(plain.err).toMatch(/\nmainnet: eth_\S+: no usable answer from http:\S+ after .*\n$/);
    expect(JSON.parse(json.out).mainnet.entities.Counted[0]).toMatchObject({ number: "5" });
    expect(JSON.parse(ndjson.out).entity).toMatchObject({ number: "5" });
  });
});

describe("run --watch", () => {
  it("indexes new blocks until the user interrupts it, then shows the entities", async () => {
    const contract = await deployCounter(main());
    await main().send(contract, "count", [5]);
    const interrupt = new AbortController();
    const { code, out, writing } = await watch(contract, "", interrupt.signal, async (saved) => {
      if (saved === 1) await main().send(contract, "count", [6]);
      else interrupt.abort();
    });
    expect(code).toBe(130);
    expect(writing).toEqual([true, false]);
    const { entities } = JSON.parse(out).mainnet;
    expect(entities.Counted).toMatchObject([{ number: "5" }, { number: "6" }]);
  });

  it("ends at the block given with --to-block", async () => {
    const contract = await deployCounter(main());
    await main().send(contract, "count", [7]);
    const last = (await main().blockNumber()) + 1;
    const { code, out } = await watch(contract, `--to-block ${last}`, undefined, async (saved) => {
      if (saved > 1) return;
      await main().send(contract, "count", [8]);
      await main().send(contract, "count", [9]);
    });
    expect(code).toBe(0);
    expect(JSON.parse(out).mainnet.entities.Counted).toMatchObject([{ number: "7" }, { number: "8" }]);
  });
});

it("run --watch says at once which block it is waiting for", async () => {
  const contract = await deployCounter(main());
  await main().send(contract, "count", [7]);
  const head = await main().blockNumber();
  let mining: Promise<void> | undefined;
  const text = counterConfig({ mainnet: contract }, "event.params.number", { debugging: true });
  const line = `run c.json --rpc ${main().url} --watch --to-block ${head + 3}`;
  const { code, err } = await graphloom(workplace({ "c.json": text }), line, {
    onErr: (printed) => {
      if (printed.includes("waiting")) mining ??= main().mine(3);
    },
  });
  await mining;
  expect(code).toBe(0);
  expect(err).toContain(`mainnet: waiting for block ${head + 3}. The chain has come to block ${head}.\n`);
});

/** Follows the chain. `onSaved` is called whenever a number was counted, with the count so far. */
async function watch(
  contract: Contract,
  options: string,
  signal: AbortSignal | undefined,
  onSaved: (saved: number) => Promise<void>,
): ReturnType<typeof graphloom> {
  const text = counterConfig({ mainnet: contract }, "event.params.number", { debugging: true });
  const line = `run c.json --rpc ${main().url} --watch --output json --entity Counted ${options}`;
  const reactions: Promise<void>[] = [];
  const ran = await graphloom(workplace({ "c.json": text }), line, {
    ...(signal && { signal }),
    onErr: (printed) => {
      if (printed.includes("saved Note")) reactions.push(onSaved(reactions.length + 1));
    },
  });
  await Promise.all(reactions);
  return ran;
}

it("an interrupt does not wait for an unreachable node", async () => {
  const contract = await deployCounter(main());
  const silent = await startFaultyNode(() => null);
  const interrupt = new AbortController();
  silent.rule(() => {
    interrupt.abort();
    return { kind: "silence" };
  });
  const cwd = workplace({ "c.json": counterConfig({ mainnet: contract }, "event.params.number") });
  const { code, out } = await graphloom(cwd, `run c.json --rpc ${silent.url}`, { signal: interrupt.signal });
  await silent.stop();
  expect(code).toBe(130);
  expect(out).toMatch(/^mainnet: no blocks, 0 triggers, 0 calls\n/);
});

describe("run with a node of another chain than the network's", () => {
  const stranger = useAnvil(["--chain-id", "137"]);

  it("refuses the node at the first start, and indexes nothing", async () => {
    const contract = await deployCounter(stranger());
    await stranger().send(contract, "count", [4]);
    const cwd = workplace({ "c.json": counterConfig({ mainnet: contract }, "event.params.number") });
    const wrong = await graphloom(cwd, `run c.json --rpc mainnet=${stranger().url} --patience 1`);
    expect(wrong.code).toBe(3);
    expect(wrong.err).toContain(
      "mainnet is chain 1, but the node serves chain 137. Nothing was indexed. Pass a node of mainnet, or correct the name of the network.",
    );
    expect(wrong.out).not.toContain("Counted: 1");
  });

  it("accepts it for its own network, and a local chain for any network", async () => {
    const contract = await deployCounter(stranger());
    const cwd = workplace({ "c.json": counterConfig({ matic: contract }, "event.params.number") });
    expect((await graphloom(cwd, `run c.json --rpc matic=${stranger().url}`)).code).toBe(0);
    const here = await deployCounter(main());
    const local = workplace({ "c.json": counterConfig({ matic: here }, "event.params.number") });
    expect((await graphloom(local, `run c.json --rpc matic=${main().url}`)).code).toBe(0);
  });
});
