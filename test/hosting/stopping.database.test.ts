import { expect, it } from "vitest";
import type { World } from "../../src/base/world.js";
import { type IndexJob, indexDeployment } from "../../src/hosting/embedded/index-deployment.js";
import type { ThreadEnd } from "../../src/hosting/embedded/messages.js";
import { Pulse } from "../../src/hosting/embedded/pulse.js";
import { ThreadLog } from "../../src/hosting/embedded/thread-log.js";
import { createThreadWorld } from "../../src/hosting/embedded/thread-world.js";
import type { Database } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { readHealth } from "../../src/store/deployments/health.js";
import { manifestPath } from "../../src/subgraph/build.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { emptyChain } from "../support/chain/empty-chain.js";
import { onPglite } from "../support/database/databases.js";
import { blocksBundle } from "./blocks.js";

const { fresh } = onPglite();

/** Indexes blocks from a node until it is stopped. `special` replaces parts of the job. */
async function indexBlocks(
  fetch: World["fetch"],
  stop: AbortController,
  special: Partial<IndexJob> = {},
): Promise<{ readonly database: Database; readonly deployment: string; readonly end: ThreadEnd }> {
  const { deployment, zip } = await blocksBundle("keep");
  const build = { manifest: manifestPath, files: await unzipBundle(zip) };
  const database = await fresh();
  await migrate(database);
  const end = await indexDeployment({
    deployment,
    build,
    database,
    nodeName: "http://node",
    files: undefined,
    verify: "bloom",
    proofs: true,
    log: new ThreadLog(() => 0),
    world: createThreadWorld(fetch, stop.signal),
    signal: stop.signal,
    pulse: new Pulse(),
    tell: (news) => void (news.kind === "waiting" && stop.abort(news.why)),
    mayRead: async () => true,
    waitForBlocks: async () => undefined,
    ...special,
  });
  return { database, deployment, end };
}

it("a stop takes effect between two blocks that are already loaded", async () => {
  const stop = new AbortController();
  const run: number[] = [];
  const { database, deployment, end } = await indexBlocks(emptyChain(2_000), stop, {
    pulse: Object.assign(new Pulse(), {
      beginHandler: (_: number, block: number) => {
        run.push(block);
        // An order arrives this way: only when the thread reads its messages.
        if (run.length === 1) setImmediate(() => stop.abort());
      },
    }),
  });
  expect(end).toEqual({ kind: "stopped" });
  expect(run).toEqual([0]);
  const health = (await readHealth(database, [deployment])).get(deployment);
  expect(health?.latestBlock?.number).toBe(0);
});

it("a stop that ends a request to the node is not logged as a failure of the node", async () => {
  const stop = new AbortController();
  const log = new ThreadLog(() => 0);
  const fetch = (): Promise<never> =>
    new Promise((_, reject) => {
      stop.signal.addEventListener("abort", () => reject(new Error("stopped")));
      stop.abort();
    });
  const { end } = await indexBlocks(fetch, stop, { log });
  expect(end).toEqual({ kind: "stopped" });
  expect(log.take().map(({ text }) => text)).toEqual(["Indexing from block 0"]);
});
