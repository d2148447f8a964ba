import { beforeAll, describe, expect, it } from "vitest";
import type { HostedChange, HostedStatus } from "../../src/hosting/engine.js";
import { deleteVersion, findVersion, setPaused } from "../../src/platform/subgraphs/versions.js";
import { SQL } from "../../src/store/database/database.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { readHandlerCounts } from "../../src/store/deployments/handler-counts.js";
import type { LogQuery } from "../../src/store/logs/log-line.js";
import { adjustBuild } from "../../src/subgraph/adjust-build.js";
import { manifestPath } from "../../src/subgraph/build.js";
import { BundleError } from "../../src/subgraph/bundle-error.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { ReadBuild } from "../../src/subgraph/runnable/read-build.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { zipBuild } from "../../src/subgraph/zip-build.js";
import { moving } from "../runtime/token-subgraph.js";
import { useAnvil } from "../support/chain/anvil.js";
import { onPglite } from "../support/database/databases.js";
import { blocksBundle } from "./blocks.js";
import { standBefore } from "./doorkeeper.js";
import { amounts, type Bundle, failing, type Host, host, indexed, project, tokens, until } from "./hosted.js";

const anvil = useAnvil();
const { fresh } = onPglite();
// The compiler and the database start slowly.
beforeAll(async () => {
  await fresh();
  await tokens(anvil());
});

const version = { project, name: "test", version: "1.0.0" };

/** The same subgraph with a start block. */
async function startingAt({ zip }: Bundle, startBlock: number): Promise<Bundle> {
  const files = await unzipBundle(zip);
  const build = adjustBuild(collectBuild({ manifest: manifestPath, files }), {
    startBlock,
    removeGraft: false,
  });
  return { deployment: linkBuild(build).deploymentId, zip: zipBuild(build) };
}

describe("an embedded engine", () => {
  it("indexes a build, answers queries to it, and follows the chain", async () => {
    const { token, bundle } = await tokens(anvil());
    await anvil().transact(moving(anvil(), token, 1, 5));
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    const heard: HostedChange[] = [];
    made.hosting.onChange((change) => heard.push(change));
    await made.deploy(bundle);
    await indexed(made, bundle);
    expect(await made.query(bundle.deployment, "{ openeds { number } }")).toEqual({
      openeds: [{ number: "0" }],
    });
    await anvil().transact(moving(anvil(), token, 1, 6));
    await until("the new block is there", amounts(made, bundle), (found) => found.length === 2);
    const counts = async () => {
      const id = (await findDeployment(made.database, bundle.deployment))?.id ?? 0;
      return (await readHandlerCounts(made.database, id))?.counts ?? [];
    };
    const moved = { source: "Token", handler: "handleTokenMovedEnriched" };
    const found = (await counts()).filter(({ handler }) => handler === moved.handler);
    expect(found).toMatchObject([
      { ...moved, type: "", count: 2n, perSecond: expect.any(Number) },
      { ...moved, type: "Balance", count: 2n },
      { ...moved, type: "Moved", count: 2n },
    ]);
    expect(found[0]?.perSecond).toBeGreaterThan(0);
    const head = { deployment: bundle.deployment, headBlock: await anvil().blockNumber() };
    // The status follows a moment after the data can be queried.
    await expect.poll(() => heard.at(-1)).toEqual(head);
    await until(
      "it is in the log",
      () => made.log(bundle.deployment),
      (lines) => lines.join() === "Indexing from block 0,Caught up with the chain",
    );
    const storage = await made.engine.storage(bundle.deployment);
    expect(storage?.layout.tables.map(({ name }) => name)).toContain("moved");
    expect(await storage?.feed("reader", ["moved"]).cursor()).toBeUndefined();
  });

  it("waits for its start block, and is not synced before the chain reaches it", async () => {
    const { bundle } = await tokens(anvil());
    const start = (await anvil().blockNumber()) + 2;
    const later = await startingAt(bundle, start);
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    await made.deploy(later);
    const line = `Waiting for block ${start}: the chain is at block ${start - 2}`;
    await until(
      "it is in the log",
      () => made.log(later.deployment),
      (lines) => lines.includes(line),
    );
    expect(await made.status(later.deployment)).toMatchObject({ health: "healthy", isSynced: false });
    await anvil().mine(1);
    await anvil().mine(1);
    await indexed(made, later);
    expect(await made.status(later.deployment)).toMatchObject({ headBlock: start, isSynced: true });
  });

  it("stops at a block when paused, and continues from there when resumed", async () => {
    const { token, bundle } = await tokens(anvil());
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    await made.deploy(bundle);
    await indexed(made, bundle);
    await setPaused(made.database, version, true);
    await made.hosting.reconcile();
    const before = await made.status(bundle.deployment);
    await anvil().transact(moving(anvil(), token, 1, 5));
    await made.hosting.reconcile();
    expect(await made.status(bundle.deployment)).toMatchObject({
      headBlock: before?.headBlock,
      health: "healthy",
    });
    await setPaused(made.database, version, false);
    await made.hosting.reconcile();
    await until("it has gone on", amounts(made, bundle), (found) => found.length === 1);
    const paused = `Paused after block ${before?.headBlock}`;
    const log = await until(
      "it is in the log",
      () => made.log(bundle.deployment),
      (lines) => lines.includes(`Continuing after block ${before?.headBlock}`),
    );
    expect(log).toContain(paused);
  });

  it("continues from the last block after a restart", async () => {
    const { token, bundle } = await tokens(anvil());
    const database = await fresh();
    const first = await host({ database, nodes: [anvil().url] });
    await first.deploy(bundle);
    await indexed(first, bundle);
    const head = (await first.status(bundle.deployment))?.headBlock;
    await first.hosting.close();
    await anvil().transact(moving(anvil(), token, 1, 5));
    const second = await host({ database, nodes: [anvil().url] });
    await second.hosting.reconcile();
    await until("it has gone on", amounts(second, bundle), (found) => found.length === 1);
    expect(await second.log(bundle.deployment)).toContain(`Indexing from block 0`);
    await until(
      "it is in the log",
      () => second.log(bundle.deployment),
      (lines) => lines.includes(`Continuing after block ${head}`),
    );
  });

  it("reverts the blocks that a reorganisation replaces", async () => {
    const { token, bundle } = await tokens(anvil());
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    await made.deploy(bundle);
    const snapshot = await anvil().snapshot();
    await anvil().transact(moving(anvil(), token, 1, 5));
    await until("it has the block", amounts(made, bundle), (found) => found.includes("5"));
    await anvil().revert(snapshot);
    await anvil().transact(moving(anvil(), token, 1, 7));
    await anvil().mine(1);
    await until("it has the other one", amounts(made, bundle), (found) => found.join() === "7");
    await until(
      "it is in the log",
      () => made.log(bundle.deployment),
      (lines) => lines.some((line) => line.startsWith("The chain was reorganised: reverted 1 block")),
    );
  });

  it("reports a failure with its block, handler, message and place, and retries when resumed", async () => {
    const { token, bundle } = await tokens(anvil(), failing);
    const receipt = await anvil().transact(moving(anvil(), token, 1, 5));
    const database = await fresh();
    const made = await host({ database, nodes: [anvil().url] });
    await made.deploy(bundle);
    const block = Number(receipt.blockNumber);
    const failed = {
      health: "failed",
      headBlock: block,
      fatalError: {
        block,
        handler: "handleTokenMovedEnriched",
        message: expect.stringContaining("unexpected null"),
        place: expect.stringMatching(/^src\/\S+\.ts:\d+:\d+$/),
      },
    };
    const status = () => made.status(bundle.deployment);
    await until("it has failed", status, (now) => now?.health === "failed");
    expect(await status()).toMatchObject(failed);
    const fails = async (): Promise<number> =>
      (await made.log(bundle.deployment)).filter((line) => line.startsWith("Failed in the handler")).length;
    await until("it is in the log", fails, (count) => count === 1);
    await made.hosting.reconcile();
    await made.hosting.close();
    const again = await host({ database, nodes: [anvil().url] });
    await again.hosting.reconcile();
    expect(await again.status(bundle.deployment)).toMatchObject(failed);
    expect(await again.log(bundle.deployment)).toEqual(await made.log(bundle.deployment));
    for (const isPaused of [true, false]) {
      await setPaused(database, version, isPaused);
      await again.hosting.reconcile();
    }
    await until("it has failed again", fails, (count) => count === 2);
  });

  it("stays failed if the chain replaces the failing block, as in graph-node", async () => {
    const { token, bundle } = await tokens(anvil(), failing);
    const { bundle: other } = await tokens(anvil());
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    const snapshot = await anvil().snapshot();
    const block = Number((await anvil().transact(moving(anvil(), token, 1, 5))).blockNumber);
    await made.deploy(bundle);
    const status = () => made.status(bundle.deployment);
    const failures = async (): Promise<number> =>
      (await made.log(bundle.deployment)).filter((line) => line.startsWith("Failed in the handler")).length;
    await until("it is in the log", failures, (count) => count === 1);
    await anvil().revert(snapshot);
    await anvil().mine(3);
    await until("the server knows the other blocks", status, (now) => now?.chainHeadBlock === block + 2);
    // A deployment that starts later has read the other blocks.
    await made.deploy(other, "2.0.0");
    await indexed(made, other);
    expect(await status()).toMatchObject({ health: "failed", headBlock: block, fatalError: { block } });
    expect(await failures()).toBe(1);
  });

  it("pauses a deployment that fails far from the head, and skips the error once resumed", async () => {
    const bundle = await blocksBundle("balk", "features: [nonFatalErrors]");
    await anvil().mine(20);
    const database = await fresh();
    const made = await host({ database, nodes: [anvil().url] });
    await made.deploy(bundle);
    const paused = async () => (await findVersion(database, version))?.isPaused === true;
    await until("it is paused", paused, (is) => is);
    expect(await made.status(bundle.deployment)).toMatchObject({
      health: "unhealthy",
      isSynced: false,
      headBlock: 0,
      nonFatalErrors: [{ block: 0 }],
    });
    // A deployment paused in the catalog stays paused.
    await made.hosting.reconcile();
    await setPaused(database, version, false);
    await made.hosting.reconcile();
    await indexed(made, bundle);
    const [first] = (await made.status(bundle.deployment))?.nonFatalErrors ?? [];
    expect(first).toEqual({
      message: expect.stringMatching(/^Mapping aborted at \S+, .* message: Not this one$/),
      block: 0,
      blockHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      handler: "balk",
      isDeterministic: true,
      place: expect.stringMatching(/^\S+:\d+:\d+$/),
    });
    await made.hosting.close();
    const again = await host({ database, nodes: [anvil().url] });
    expect(await again.status(bundle.deployment)).toMatchObject({
      health: "unhealthy",
      nonFatalErrors: expect.arrayContaining([first]),
    });
  });

  it("retries a block that did not fit into the database, and reports this, also after a restart", async () => {
    const bundle = await blocksBundle("swell");
    const database = await fresh();
    const waits = (at: Host): Promise<HostedStatus | undefined> =>
      until(
        "it waits",
        () => at.status(bundle.deployment),
        (now) => now?.waitsFor?.includes("index row") === true,
      );
    const made = await host({ database, nodes: [anvil().url] });
    await made.deploy(bundle);
    expect((await waits(made))?.health).not.toBe("failed");
    await made.hosting.close();
    const again = await host({ database, nodes: [anvil().url] });
    await again.hosting.reconcile();
    expect((await waits(again))?.health).not.toBe("failed");
  });

  it("waits for an unreachable node, and reports it", async () => {
    const { bundle } = await tokens(anvil());
    const door = await standBefore(anvil().url);
    door.isClosed = true;
    try {
      const made = await host({ database: await fresh(), nodes: [door.url] });
      await made.deploy(bundle);
      await until(
        "it is in the log",
        () => made.log(bundle.deployment),
        (lines) =>
          lines.some((line) => /^The node of mainnet: HTTP status 503: closed; retrying in/.test(line)),
      );
      expect((await made.status(bundle.deployment))?.health).not.toBe("failed");
      door.isClosed = false;
      await indexed(made, bundle);
    } finally {
      await door.stop();
    }
  });

  it("asks the next address when one fails", async () => {
    const { bundle } = await tokens(anvil());
    const made = await host({
      database: await fresh(),
      nodes: ["http://127.0.0.1:1/key-in-path", anvil().url],
    });
    await made.deploy(bundle);
    await indexed(made, bundle);
  });

  it("removes all data of a deployment that no version uses", async () => {
    const { bundle } = await tokens(anvil());
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    await made.deploy(bundle);
    await indexed(made, bundle);
    await deleteVersion(made.database, version);
    await made.hosting.reconcile();
    expect(await made.status(bundle.deployment)).toBeUndefined();
    expect(await made.log(bundle.deployment)).toEqual([]);
    expect(await made.engine.storage(bundle.deployment)).toBeUndefined();
    const left = await made.database.query(
      SQL`select (select count(*) from graphloom.deployments) as deployments, (select count(*) from graphloom.builds) as builds,
        (select count(*) from pg_namespace where nspname like 'sgd%') as schemas`,
    );
    expect(left).toEqual([{ deployments: "0", builds: "0", schemas: "0" }]);
  });

  it("indexes a deployment once that two versions share", async () => {
    const { bundle } = await tokens(anvil());
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    await made.deploy(bundle);
    await made.deploy(bundle, "2.0.0");
    await indexed(made, bundle);
    await deleteVersion(made.database, version);
    await made.hosting.reconcile();
    expect((await made.status(bundle.deployment))?.isSynced).toBe(true);
    await until(
      "there is one start in the log",
      () => made.log(bundle.deployment),
      (lines) => lines.join() === "Indexing from block 0,Caught up with the chain",
    );
  });

  it("refuses a build that it cannot index before accepting it", async () => {
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    const build = ({ deployment, zip }: Bundle, change = (text: string) => text) => ({
      deployment,
      network: "mainnet",
      mayRead: async () => true,
      find: async () => undefined,
      read: async () => {
        const [manifest, files] = [manifestPath, await unzipBundle(zip)];
        const text = Buffer.from(files.get(manifest) ?? "").toString();
        const changed = new Map<string, string | Uint8Array>(files).set(manifest, change(text));
        return ReadBuild.of({ manifest, files: changed });
      },
    });
    const bundle = await blocksBundle("keep");
    await made.engine.check(build(bundle));
    const elsewhere = build(bundle, (text) => text.replace("mainnet", "sepolia"));
    await expect(made.engine.check(elsewhere)).rejects.toThrow(
      "No node is configured for the network sepolia",
    );
    const withModule = (change: (wasm: Uint8Array) => Uint8Array) => ({
      ...build(bundle),
      read: async () => {
        const read = await build(bundle).read();
        const files = [...read.files].map(([path, content]): [string, Uint8Array] => [
          path,
          path.endsWith(".wasm") ? change(content) : content,
        ]);
        return ReadBuild.of({ manifest: manifestPath, files: new Map(files) });
      },
    });
    await made.engine.check(withModule((wasm) => wasm));
    for (const [length, why] of [
      [8, "the module does not export memory, allocate, id_of_type, _start"],
      [1_000, "WebAssembly.compile()"],
    ] as const) {
      const cut = made.engine.check(withModule((wasm) => wasm.slice(0, length)));
      await expect(cut).rejects.toThrow(BundleError);
      await expect(cut).rejects.toThrow(`.wasm cannot be run: ${why}`);
    }
    const graft =
      "features: [grafting]\ngraft: { base: QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG, block: 1 }";
    const grafted = await blocksBundle("keep", graft);
    await expect(made.engine.check(build(grafted))).rejects.toThrow("it is not in the database");
  });

  it("waits for the base of a graft, and reports it", async () => {
    const base = await blocksBundle("keep");
    const grafted = await blocksBundle(
      "keep",
      `features: [grafting]\ngraft: { base: ${base.deployment}, block: 1 }`,
    );
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    await anvil().mine(260);
    await made.deploy(grafted);
    const status = await until(
      "it waits",
      () => made.status(grafted.deployment),
      (now) => now?.health === "unhealthy",
    );
    expect(status?.nonFatalErrors).toMatchObject([
      {
        isDeterministic: false,
        message: expect.stringContaining(`cannot graft onto ${base.deployment} at block 1`),
      },
    ]);
    await made.deploy(base, "2.0.0");
    await indexed(made, grafted);
    const query = '{ note(id: "0") { id } }';
    expect(await made.query(grafted.deployment, query)).toEqual({ note: { id: "0" } });
    expect(await made.status(grafted.deployment)).toMatchObject({ health: "healthy", nonFatalErrors: [] });
    await until(
      "it is in the log",
      () => made.log(grafted.deployment),
      (lines) => lines.includes("Continuing after block 1"),
    );
  });

  it("keeps a bounded number of the handlers' log lines", async () => {
    const bundle = await blocksBundle("chatter");
    const made = await host({ database: await fresh(), nodes: [anvil().url] });
    await made.deploy(bundle);
    await indexed(made, bundle);
    const read = async (query: Partial<LogQuery>) =>
      (await made.engine.logs(bundle.deployment, { direction: "desc", limit: 1_000, ...query })).lines;
    const last = (await anvil().blockNumber()) & ~63;
    await until(
      "the last line is there",
      () => read({ search: `4999 OF ${last}`, levels: ["debug"] }),
      (lines) => lines.length === 1,
    );
    const warnings = await read({ levels: ["warn"], search: "no end" });
    expect(warnings[0]?.text).toBe("No end of a text: ");
    const [left] = await read({ search: "were dropped" });
    expect(left?.level).toBe("warn");
  });

  it("stops a handler that never returns, while other deployments continue", async () => {
    const { token, bundle } = await tokens(anvil());
    const runaway = await blocksBundle("endless");
    const made = await host({
      database: await fresh(),
      nodes: [anvil().url],
      // The other deployment's handlers may also be slow if the machine stalls for a while.
      limits: { handlerTime: 3_000 },
    });
    await made.deploy(runaway);
    await made.deploy(bundle, "2.0.0");
    await anvil().transact(moving(anvil(), token, 1, 5));
    await until("the other one goes on", amounts(made, bundle), (found) => found.length === 1);
    const status = await until(
      "it has failed",
      () => made.status(runaway.deployment),
      (now) => now?.health === "failed",
    );
    // A fast machine takes all the steps of a handler before the time is over.
    const reasons = [
      "The handler endless of Blocks ran for more than 3 seconds and was stopped: it seems to run forever",
      "The handler took more than 1,000,000,000 steps (function calls and loop iterations): it probably never ends",
    ];
    expect(reasons).toContain(status?.fatalError?.message);
    expect(status?.fatalError).toMatchObject({ handler: "endless", block: 0 });
    expect((await made.status(bundle.deployment))?.health).toBe("healthy");
  });

  it("stops a deployment that uses too much memory, without ending the process", async () => {
    const greedy = await blocksBundle("hoard");
    const made = await host({ database: await fresh(), nodes: [anvil().url], limits: { memory: 96 } });
    await made.deploy(greedy);
    const status = await until(
      "it has failed",
      () => made.status(greedy.deployment),
      (now) => now?.health === "failed",
    );
    expect(status?.fatalError?.message).toBe("It used more than 96 MB of memory and was stopped");
  });
});
