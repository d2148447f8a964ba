import { describe, expect, it, onTestFinished } from "vitest";
import { createProject } from "../../../src/platform/people/projects.js";
import { createHosting } from "../../../src/platform/subgraphs/create-hosting.js";
import { addVersion, deleteVersion } from "../../../src/platform/subgraphs/versions.js";
import { SQL } from "../../../src/store/database/database.js";
import { askedEngine } from "../../hosting/asked-engine.js";
import { onPglite } from "../../support/database/databases.js";
import { realWorld } from "../../support/worlds.js";

/** Hosting with an engine that answers only on demand, and one that answers at once. */
async function twoEngines() {
  const database = await onPglite().fresh();
  await createProject(database, { id: "project_1", name: "test" });
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  const hanging = askedEngine("slow", calls, () => new Promise((resolve) => waiting.push(resolve)));
  const quick = askedEngine("fast", calls, async () => undefined);
  const hosting = createHosting({ database, engines: [hanging, quick], world: realWorld, interval: 60_000 });
  const goOn = (): void => {
    for (const next of waiting.splice(0)) next();
  };
  onTestFinished(async () => {
    const closed = hosting.close();
    const going = setInterval(goOn, 5);
    await closed;
    clearInterval(going);
  });
  const named = (version: string) => ({ project: "project_1", name: "test", version });
  const add = (version: string, engine: string) =>
    database.transaction((sql) =>
      addVersion(sql, {
        ...named(version),
        deployment: `Qm${version}`,
        bundle: new Uint8Array([1]),
        network: engine,
        engine,
        description: null,
      }),
    );
  return { database, hosting, calls, goOn, add, named, waiting };
}

describe("Hosting with an engine that hangs", () => {
  it("makes a change wait only for its own deployments", async () => {
    const { hosting, calls, add } = await twoEngines();
    await add("1", "slow");
    let isDone = false;
    const slow = hosting.reconcile(["Qm1"]).then(() => {
      isDone = true;
    });
    await expect.poll(() => calls).toEqual(["start Qm1"]);
    await add("2", "fast");
    await hosting.reconcile(["Qm2"]);
    expect(calls).toEqual(["start Qm1", "start Qm2"]);
    // A further deployment on the hanging engine is also started.
    await add("3", "slow");
    void hosting.reconcile(["Qm3"]);
    await expect.poll(() => calls).toContain("start Qm3");
    expect(isDone).toBe(false);
    void slow;
  });

  it("carries out only the last change once the engine continues", async () => {
    const { database, hosting, calls, goOn, add, named } = await twoEngines();
    await add("1", "slow");
    void hosting.reconcile(["Qm1"]);
    await expect.poll(() => calls).toEqual(["start Qm1"]);
    await database.query(SQL`update graphloom.versions set is_paused = true`);
    void hosting.reconcile(["Qm1"]);
    await deleteVersion(database, named("1"));
    const last = hosting.reconcile(["Qm1"]);
    await hosting.reconcile([]);
    expect(calls).toEqual(["start Qm1"]);
    goOn();
    await expect.poll(() => calls).toEqual(["start Qm1", "remove Qm1"]);
    goOn();
    await last;
    expect(await database.query(SQL`select from graphloom.builds`)).toEqual([]);
  });
});
