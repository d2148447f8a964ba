import { expect, it } from "vitest";
import { indexDeployment } from "../../src/hosting/embedded/index-deployment.js";
import { Pulse } from "../../src/hosting/embedded/pulse.js";
import { ThreadLog } from "../../src/hosting/embedded/thread-log.js";
import { createThreadWorld } from "../../src/hosting/embedded/thread-world.js";
import { migrate } from "../../src/store/database/migrate.js";
import { readHealth } from "../../src/store/deployments/health.js";
import { manifestPath } from "../../src/subgraph/build.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { emptyChain } from "../support/chain/empty-chain.js";
import { onPglite } from "../support/database/databases.js";
import { blocksBundle } from "./blocks.js";

const { fresh } = onPglite();

it("a stop takes effect between two blocks that are already loaded", async () => {
  const { deployment, zip } = await blocksBundle("keep");
  const build = { manifest: manifestPath, files: await unzipBundle(zip) };
  const database = await fresh();
  await migrate(database);
  const stop = new AbortController();
  const run: number[] = [];
  const end = await indexDeployment({
    deployment,
    build,
    database,
    nodeName: "http://node",
    files: undefined,
    verify: "bloom",
    log: new ThreadLog(() => 0),
    world: createThreadWorld(emptyChain(2_000), stop.signal),
    signal: stop.signal,
    pulse: Object.assign(new Pulse(), {
      beginHandler: (_: number, block: number) => {
        run.push(block);
        // An order arrives this way: only when the thread reads its messages.
        if (run.length === 1) setImmediate(() => stop.abort());
      },
    }),
    tell: (news) => void (news.kind === "waiting" && stop.abort(news.why)),
    mayGraftOnto: async () => true,
    waitForBlocks: async () => undefined,
  });
  expect(end).toEqual({ kind: "stopped" });
  expect(run).toEqual([0]);
  const health = (await readHealth(database, [deployment])).get(deployment);
  expect(health?.latestBlock?.number).toBe(0);
});
