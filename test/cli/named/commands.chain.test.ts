import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { countingMapping, writtenProject } from "../../support/compiler/written-project.js";
import { onPglite } from "../../support/database/databases.js";
import { startPlatform } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";
import { type StartedDev, startDev } from "../dev/started-dev.js";
import { graphloom, workplace } from "../harness.js";
import { deployCounter } from "../run/chains.js";

const anvil = useAnvil();

/** The values of all stored notes, in order. */
async function notes(dev: StartedDev): Promise<string> {
  const data = await dev.query("{ notes(orderBy: value) { value } }");
  return (data.notes as readonly { readonly value: string }[]).map(({ value }) => value).join();
}

describe("a hand-written subgraph", () => {
  it("is run and planned from its folder, from its build and from a server, with the same entities", async () => {
    const counter = await deployCounter(anvil());
    for (const number of [1, 2]) await anvil().send(counter, "count", [number]);
    const cwd = workplace(writtenProject({ address: counter.address }));
    const built = await graphloom(cwd, "build", { env: sharedCache });
    expect([built.code, built.err]).toEqual([0, ""]);
    const server = await startPlatform(await onPglite().fresh());
    onTestFinished(() => server.close());
    const env = { ...sharedCache, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token };
    const deployed = await graphloom(cwd, "subgraph deploy counter/1.0.0 build --wait none", { env });
    expect([deployed.code, deployed.out]).toEqual([0, expect.stringContaining("Deployed counter/1.0.0")]);
    for (const word of [".", "build", "", "counter/1.0.0"]) {
      const line = `run ${word} --rpc ${anvil().url} --output json --entity Note`;
      const { code, out, err } = await graphloom(cwd, line, { env });
      expect([code, err]).toEqual([0, ""]);
      const { Note } = JSON.parse(out).mainnet.entities;
      expect(Note).toMatchObject([{ value: "1" }, { value: "2" }]);
    }
    const unknown = await graphloom(cwd, `run . --rpc ${anvil().url} --entity Nite`, { env: sharedCache });
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("Did you mean Note?")]);
    const missing = await graphloom(cwd, "run build", { env: {} });
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining("Chains of the subgraph: mainnet"),
    ]);
    for (const word of [".", "counter/1.0.0"]) {
      const plan = await graphloom(cwd, `plan ${word} --rpc ${anvil().url} --samples 1`, { env });
      expect([plan.code, plan.err]).toEqual([0, ""]);
    }
    const dev = await startDev(cwd, `counter/1.0.0 --rpc ${anvil().url} --port 0`, env);
    await dev.firstAnswer("{ _meta { deployment } }");
    await until(async () => (await notes(dev)) === "1,2");
    expect((await dev.interrupt()).code).toBe(0);
  });

  it("is developed: an edit is followed, and a mistake leaves the previous build answering", async () => {
    const counter = await deployCounter(anvil());
    for (const number of [1, 2]) await anvil().send(counter, "count", [number]);
    const cwd = workplace(writtenProject({ address: counter.address }));
    const save = (value: string): void => writeFileSync(join(cwd, "src/counter.ts"), countingMapping(value));
    const dev = await startDev(cwd, `. --rpc ${anvil().url} --port 0`);
    await dev.firstAnswer("{ _meta { deployment } }");
    await until(async () => (await notes(dev)) === "1,2");

    save("event.params.number.plus(event.params.number)");
    await until(async () => (await notes(dev)) === "2,4");
    expect(dev.said()).toContain("changed: src/counter.ts\n");
    expect(dev.said()).toContain(
      "mainnet: the change is catching up; the previous build answers until it has\n",
    );

    save("event.params.numbr");
    await until(() => /src\/counter\.ts:6:\d+/.test(dev.said()));
    await anvil().send(counter, "count", [3]);
    await until(async () => (await notes(dev)) === "2,4,6");

    save("event.params.number.plus(event.params.number)");
    await until(() => dev.said().includes("mainnet: the build is unchanged\n"));
    expect((await dev.interrupt()).code).toBe(0);
  });
});
