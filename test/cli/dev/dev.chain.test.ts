import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useAnvil } from "../../support/anvil.js";
import { until } from "../../support/until.js";
import { workplace } from "../harness.js";
import { counterConfig, deployCounter } from "../run/chains.js";
import { type StartedDev, startDev } from "./started-dev.js";

const anvil = useAnvil();

interface Row {
  readonly value: string;
}

/** The values that are stored. */
async function notes(dev: StartedDev): Promise<readonly string[]> {
  const data = await dev.query("{ notes(orderBy: value) { value } }");
  return (data.notes as readonly Row[]).map(({ value }) => value);
}

describe("dev", () => {
  it("has rows, and goes on with every edit at the same address, whatever it is", {
    timeout: 240_000,
  }, async () => {
    const counter = await deployCounter(anvil());
    for (const number of [1, 2, 3]) await anvil().send(counter, "count", [number]);
    const save = (text: string): void => writeFileSync(join(cwd, "c.json"), text);
    const edited = (value: string): string => counterConfig({ mainnet: counter }, value);
    const cwd = workplace({ "c.json": edited("event.params.number") });
    const dev = await startDev(cwd, `c.json --rpc ${anvil().url} --port 0`);
    await dev.firstAnswer("{ _meta { deployment } }");
    await until(async () => (await notes(dev)).join() === "1,2,3");

    // Whenever it is asked, it answers: with what was, then with what is.
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
      "mainnet: indexing the change; what was there answers until it has caught up\n",
    );
    await until(() => dev.said().includes("mainnet: the change answers now, at block "));

    // A mistake of the configuration.
    save(edited("event.params.numbr"));
    await until(() => dev.said().includes("error[unknown-parameter]"));
    await anvil().send(counter, "count", [4]);
    await until(async () => (await notes(dev)).join() === "2,4,6,8");

    // A mistake that shows when it runs: the first number is not half of anything.
    save(edited("calls.half!"));
    await until(() => dev.said().includes("mainnet: the change stopped"));
    expect(dev.said()).toContain("error[handler-failed]");
    expect(dev.said()).toContain('"value uint256": "calls.half!"');
    expect(dev.said()).toContain("what was there goes on answering\n");
    expect((await notes(dev)).join()).toBe("2,4,6,8");

    save(edited("event.params.number.times(event.params.number)"));
    await until(
      async () => (await notes(dev)).join() === "1,16,4,9" || (await notes(dev)).join() === "1,4,9,16",
    );
    expect((await dev.interrupt()).code).toBe(0);
    await expect(fetch(dev.address)).rejects.toThrow();
  });

  it("keeps what was indexed in a folder, and goes on from there", { timeout: 240_000 }, async () => {
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
    await until(() => second.said().includes("mainnet: what is indexed stays the same\n"));
    await anvil().send(counter, "count", [8]);
    await until(async () => (await notes(second)).join() === "7,8");
  });
});
