import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/hosting/engine.js";
import { createProject } from "../../src/platform/people/projects.js";
import { createHosting } from "../../src/platform/subgraphs/create-hosting.js";
import { addVersion } from "../../src/platform/subgraphs/versions.js";
import { askedEngine } from "../hosting/asked-engine.js";
import { onPglite } from "../support/database/databases.js";
import { startPlatform } from "../support/server/platform-server.js";
import { realWorld } from "../support/worlds.js";

const databases = onPglite();

it("a server serves once its own engine has started, even if a separate engine hangs", async () => {
  const database = await databases.fresh();
  await createProject(database, { id: "project_1", name: "test" });
  for (const engine of ["hanging", "own"]) {
    await database.transaction((sql) =>
      addVersion(sql, {
        project: "project_1",
        name: engine,
        version: "1",
        deployment: `Qm${engine}`,
        bundle: new Uint8Array([1]),
        network: engine,
        engine,
        description: null,
      }),
    );
  }
  const calls: string[] = [];
  const own = askedEngine("own", calls, async () => {
    await sleep(50);
    calls.push("done");
  });
  const ended = new AbortController();
  const hanging: Engine = {
    ...askedEngine("hanging", calls, () => sleep(2 ** 31 - 1, undefined, { signal: ended.signal })),
    takesAny: true,
    interrupt: () => ended.abort(),
  };
  const engines = [hanging, own];
  const server = await startPlatform(database, {
    createHosting: async () => createHosting({ database, engines, world: realWorld, interval: 60_000 }),
  });
  onTestFinished(() => server.close());
  expect([...calls].sort()).toEqual(["done", "start Qmhanging", "start Qmown"]);
  expect((await server.ask(`${server.address}/health`)).status).toBe(200);
});
