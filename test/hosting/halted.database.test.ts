import { expect, it, onTestFinished } from "vitest";
import { createEmbeddedEngine } from "../../src/hosting/embedded/create-embedded-engine.js";
import type { ThreadEnd } from "../../src/hosting/embedded/messages.js";
import type { HostedBuild } from "../../src/hosting/engine.js";
import { Nodes } from "../../src/rpc/nodes.js";
import { DatabaseError } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { ReadBuild } from "../../src/subgraph/runnable/read-build.js";
import { sampleBuild } from "../subgraph/sample-build.js";
import { addressOf, onEither, world } from "../support/database/databases.js";
import { until } from "../support/until.js";

const { fresh } = onEither();

it("a version that pauses itself stays paused while the database cannot save that", async () => {
  const database = await fresh();
  await migrate(database);
  const nodes = new Nodes(new Map([["mainnet", ["http://node.test"]]]), world);
  const threads: ((end: ThreadEnd) => void)[] = [];
  const address = addressOf(database);
  const engine = createEmbeddedEngine({
    database,
    world,
    nodes,
    ...(address !== undefined && { address }),
    startThread: () => ({
      ended: new Promise((resolve) => threads.push(resolve)),
      stop: async () => undefined,
      check: () => undefined,
    }),
  });
  onTestFinished(async () => {
    await engine.close();
    await nodes.close();
  });
  let isFull = true;
  let saved = 0;
  let tried = 0;
  const build: HostedBuild = {
    project: "one",
    deployment: "QmOne",
    network: "mainnet",
    read: async () => new ReadBuild(sampleBuild()),
    mayRead: async () => true,
    keepPaused: async () => {
      tried += 1;
      if (isFull)
        throw new DatabaseError("could not extend file: No space left on device", { code: "53100" });
      saved += 1;
    },
  };
  await engine.start(build);
  threads[0]?.({ kind: "halted" });
  await until(() => tried === 1);
  // The catalog still says that it is to be indexed.
  await expect(engine.start(build)).rejects.toThrow("No space left");
  isFull = false;
  await engine.start(build);
  expect([threads.length, saved]).toEqual([1, 1]);
  await engine.start(build);
  expect(threads.length).toBe(2);
});
