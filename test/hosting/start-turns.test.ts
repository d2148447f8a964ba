import { expect, it } from "vitest";
import { FairTurns } from "../../src/base/turns/fair-turns.js";
import type { World } from "../../src/base/world.js";
import {
  DeploymentThread,
  type ThreadJob,
  type ThreadSurroundings,
} from "../../src/hosting/embedded/deployment-thread.js";
import { HandlerTurns } from "../../src/hosting/embedded/turns/handler-turns.js";
import type { Database } from "../../src/store/database/database.js";
import { DatabaseTurns } from "../../src/store/database/port/database-turns.js";
import { manifestPath } from "../../src/subgraph/build.js";
import { sampleBuild } from "../subgraph/sample-build.js";
import { world } from "../support/database/databases.js";

it("a thread that waits for its turn to start stops at once", async () => {
  const startTurns = new FairTurns({ atOnce: 1, atOnceOfOne: 1 });
  let leave = (): void => undefined;
  const other = startTurns.run("other", () => new Promise<void>((resolve) => (leave = resolve)));
  const serveNodes: ThreadJob["serveNodes"] = () => {
    throw new Error("It has no turn");
  };
  const thread = new DeploymentThread(
    { deployment: "Qm", project: "project", serveNodes } as Partial<ThreadJob> as ThreadJob,
    {
      startTurns,
      handlerTurns: new HandlerTurns(1, world),
      world,
    } as Partial<ThreadSurroundings> as ThreadSurroundings,
  );
  thread.check();
  await thread.stop();
  expect(await thread.ended).toEqual({ kind: "stopped" });
  leave();
  await other;
  expect(startTurns.waiting).toBe(0);
});

it("a thread that cannot begin does not keep others from starting", async () => {
  const startTurns = new FairTurns({ atOnce: 1, atOnceOfOne: 1 });
  const silent: Partial<Database> = { provider: "pglite", query: () => new Promise(() => undefined) };
  const impatient: Pick<World, "now" | "timeout"> = { now: world.now, timeout: () => world.timeout(10) };
  const job: Partial<ThreadJob> = {
    deployment: "Qm",
    project: "project",
    nodeName: "node",
    hasIpfs: false,
    build: { manifest: manifestPath, files: sampleBuild().files },
    serveNodes: () => undefined,
  };
  const surroundings: Partial<ThreadSurroundings> = {
    database: silent as Database,
    turns: new DatabaseTurns(),
    address: undefined,
    archive: undefined,
    startTurns,
    handlerTurns: new HandlerTurns(1, world),
    world: impatient,
    memory: 64,
    verify: "off",
  };
  const thread = new DeploymentThread(job as ThreadJob, surroundings as ThreadSurroundings);
  expect(await startTurns.run("other", async () => "started")).toBe("started");
  await thread.stop();
  expect(await thread.ended).toEqual({ kind: "stopped" });
});
