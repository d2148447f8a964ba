import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { startFaultyProxy } from "../../support/network/faulty-proxy.js";
import { until } from "../../support/until.js";
import { workplace } from "../harness.js";
import { counterConfig, deployCounter } from "../run/chains.js";
import { type StartedDev, startDev } from "./started-dev.js";

const anvil = useAnvil();

interface Row {
  readonly value: string;
}

/** The values of all stored notes. */
async function notes(dev: StartedDev): Promise<readonly string[]> {
  const data = await dev.query("{ notes(orderBy: value) { value } }");
  return (data.notes as readonly Row[]).map(({ value }) => value);
}

/** Turns results of calls into the error of a node that keeps only the states of the newest blocks. */
function withoutStates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStates);
  const { id, result } = value as { readonly id: unknown; readonly result: unknown };
  // The only call returns one word of 32 bytes.
  if (typeof result !== "string" || result.length !== 66) return value;
  return { jsonrpc: "2.0", id, error: { code: -32000, message: "missing trie node 0e6f (path )" } };
}

describe("dev", () => {
  it("serves entities, and follows every kind of edit at the same address", async () => {
    const counter = await deployCounter(anvil());
    for (const number of [1, 2, 3]) await anvil().send(counter, "count", [number]);
    const save = (text: string): void => writeFileSync(join(cwd, "c.json"), text);
    const edited = (value: string): string => counterConfig({ mainnet: counter }, value);
    const cwd = workplace({ "c.json": edited("event.params.number") });
    const dev = await startDev(cwd, `c.json --rpc ${anvil().url} --port 0`);
    await dev.firstAnswer("{ _meta { deployment } }");
    await until(async () => (await notes(dev)).join() === "1,2,3");

    // It answers every query, first with the old values and then with the new ones.
    save(edited("event.params.number.plus(event.params.number)"));
    const seen = new Set<string>();
    await until(async () => {
      const now = (await notes(dev)).join();
      seen.add(now);
      return now === "2,4,6";
    });
    expect([...seen].filter((values) => values !== "1,2,3" && values !== "2,4,6")).toEqual([]);
    expect(dev.said()).toContain("changed: c.json\n");
    expect(dev.said()).toContain(
      "mainnet: the change is catching up; the previous build answers until it has\n",
    );
    await until(() => dev.said().includes("mainnet: the change has caught up at block "));

    const { origin } = new URL(dev.address);
    const look = async (path: string): Promise<string> => (await fetch(origin + path)).text();
    const first = await look("/");
    const [, own = ""] = /<a href="(\/dashboard\/[^"]+\/dev)"/.exec(first) ?? [];
    expect(own).toMatch(/\/dev$/);
    expect(first).not.toContain("build-");
    expect(await look(own)).toContain(dev.address);

    // An error in the configuration.
    save(edited("event.params.numbr"));
    await until(() => dev.said().includes("error[unknown-parameter]"));
    for (const page of [await look("/"), await look(own)]) {
      expect(page).toMatch(/error\[unknown-parameter\][\s\S]*c\.json:\d+:\d+/);
    }
    await anvil().send(counter, "count", [4]);
    await until(async () => (await notes(dev)).join() === "2,4,6,8");

    // An error that only shows at run time: the first number cannot be halved.
    save(edited("calls.half!"));
    await until(() => dev.said().includes("mainnet: the change stopped"));
    expect(dev.said()).toContain("error[handler-failed]");
    expect(dev.said()).toContain('"value uint256": "calls.half!"');
    expect(dev.said()).toContain("the previous build keeps answering\n");
    expect((await notes(dev)).join()).toBe("2,4,6,8");
    expect(await look("/")).toMatch(/Change: stopped[\s\S]*The previous build still answers queries/);
    expect(await look("/")).toContain("error[handler-failed]");

    save(edited("event.params.number.times(event.params.number)"));
    await until(
      async () => (await notes(dev)).join() === "1,16,4,9" || (await notes(dev)).join() === "1,4,9,16",
    );
    expect(await look("/")).not.toContain("error[");
    const [checking, compiling, preparing] = dev
      .said()
      .split("\n")
      .filter((line) => line.endsWith(" …"));
    expect([checking, compiling, preparing]).toEqual([
      "Checking c.json …",
      "Compiling c.json …",
      "Preparing the database …",
    ]);
    expect((await dev.interrupt()).code).toBe(0);
    await expect(fetch(dev.address)).rejects.toThrow();
  });

  it("reports once that the node is unreachable, and once that it answers again", async () => {
    const counter = await deployCounter(anvil());
    await anvil().send(counter, "count", [1]);
    const node = await startFaultyProxy(anvil().url);
    onTestFinished(() => node.stop());
    const cwd = workplace({ "c.json": counterConfig({ mainnet: counter }, "event.params.number") });
    const dev = await startDev(cwd, `c.json --rpc ${node.origin} --port 0`);
    await until(() => dev.said().includes("synced at block"));
    node.rule(() => ({ kind: "cut" }));
    await until(() => dev.said().includes("No answer from the node of mainnet since "));
    node.rule(() => undefined);
    await until(() => /The node of mainnet answers again after \d+ s\n/.test(dev.said()));
    expect(dev.said().match(/No answer from the node of mainnet since/g)).toHaveLength(1);
    expect(dev.said().match(/answers again/g)).toHaveLength(1);
  });

  it("reports at once that the node has no old states, and says what to do", async () => {
    const counter = await deployCounter(anvil());
    await anvil().send(counter, "count", [2]);
    const node = await startFaultyProxy(anvil().url);
    onTestFinished(() => node.stop());
    node.rule(() => ({ kind: "changed", change: withoutStates }));
    const cwd = workplace({ "c.json": counterConfig({ mainnet: counter }, "calls.half!") });
    const dev = await startDev(cwd, `c.json --rpc ${node.origin} --port 0`);
    await until(() => dev.said().includes("an archive node does\n"));
    expect(dev.said()).toMatch(
      /^mainnet: waiting: .*missing trie node.* no longer keeps the state of block/m,
    );
  });

  it("--data keeps the indexed data in a folder, and continues from it", async () => {
    const counter = await deployCounter(anvil());
    await anvil().send(counter, "count", [7]);
    const cwd = workplace({ "c.json": counterConfig({ mainnet: counter }, "event.params.number") });
    const line = `c.json --rpc mainnet=${anvil().url} --port 0 --data kept`;
    const first = await startDev(cwd, line);
    await first.firstAnswer("{ _meta { deployment } }");
    await until(async () => (await notes(first)).join() === "7");
    await first.interrupt();
    const second = await startDev(cwd, line);
    expect((await notes(second)).join()).toBe("7");
    await until(() => second.said().includes("mainnet: the build is unchanged\n"));
    await anvil().send(counter, "count", [8]);
    await until(async () => (await notes(second)).join() === "7,8");
  });
});
