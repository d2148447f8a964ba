import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { type DeploymentHealth, readHealth } from "../../../src/store/deployments/health.js";
import { callOf, useAnvil } from "../../support/chain/anvil.js";
import { onPglite } from "../../support/database/databases.js";
import { type IndexedShop, type ShopManifest, useShops } from "./shop.js";

const anvil = useAnvil();
const openShop = useShops(anvil);
const databases = onPglite();
let database: Database;
beforeEach(async () => {
  database = await databases.fresh();
  await migrate(database);
});

const bearing = (manifest: ShopManifest): void => {
  manifest.features = ["nonFatalErrors"];
};
const health = async (): Promise<DeploymentHealth | undefined> =>
  (await readHealth(database, ["QmErrors"])).get("QmErrors");
const deniedError = { errors: [{ message: "indexing_error" }] };
/** The answer that clients receive. */
const answer = async (shop: IndexedShop, query: string): Promise<unknown> => {
  const { data, errors } = await shop.query(query);
  return { ...(data && { data }), ...(errors && { errors }) };
};
const items = "items { id times sold }";

describe("non-fatal errors of a subgraph", () => {
  it("are recorded with their block, and the changes of their handlers are dropped", async () => {
    const shop = await openShop();
    const fine = await shop.sell("cup", 5);
    const indexed = await shop.in(database, "QmErrors", bearing);
    await indexed.run();
    expect(await health()).toMatchObject({ health: "healthy", nonFatalErrors: [] });
    expect(await answer(indexed, `{ ${items} _meta { hasIndexingErrors } }`)).toEqual({
      data: { items: [{ id: "cup", times: 1, sold: "5" }], _meta: { hasIndexingErrors: false } },
    });

    const [, bad] = await anvil().inOneBlock([
      callOf(shop.contract, "sell", ["cup", 1]),
      callOf(shop.contract, "sell", ["cup", 13]),
      callOf(shop.contract, "count", ["plate", 2]),
      callOf(shop.contract, "sell", ["plate", 13]),
    ]);
    const { errors, failure } = await indexed.run();
    expect([errors.length, failure]).toEqual([2, undefined]);
    const block = { number: fine + 1, hash: bad?.blockHash };
    const ofCup = {
      message: expect.stringContaining("nobody buys 13 of cup"),
      block,
      handler: "handleSold",
      source: "Shop",
      logIndex: 1,
      deterministic: true,
      place: expect.stringMatching(/^src\/mapping\.ts:\d+:3$/),
      transactionHash: bad?.transactionHash,
    };
    expect(await health()).toEqual({
      health: "unhealthy",
      nonFatalErrors: [
        ofCup,
        {
          ...ofCup,
          message: expect.stringContaining("nobody buys 13 of plate"),
          logIndex: 3,
          transactionHash: expect.not.stringMatching(bad?.transactionHash ?? ""),
        },
      ],
      firstErrorBlock: fine + 1,
      namespace: "sgd1",
      startBlock: shop.start,
      isSynced: true,
      latestBlock: {
        ...block,
        parentHash: expect.stringMatching(/^0x/),
        timestamp: expect.any(BigInt),
      },
    });

    const all = [
      { id: "cup", times: 2, sold: "6" },
      { id: "plate", times: 1, sold: "2" },
    ];
    // The failed handler's sale is dropped with its other changes.
    expect(await answer(indexed, `{ sales(subgraphError: allow) { amount } }`)).toEqual({
      data: { sales: [{ amount: "5" }, { amount: "1" }] },
      ...deniedError,
    });
    const allowed = items.replace("items", "items(subgraphError: allow)");
    expect(await answer(indexed, `{ ${allowed} }`)).toEqual({ data: { items: all }, ...deniedError });
    expect(await answer(indexed, `{ ${items} }`)).toEqual(deniedError);
    expect(await answer(indexed, "{ items(subgraphError: deny) { id } }")).toEqual(deniedError);
    // Fields that are not read from tables have no error policy and count as denying.
    expect(
      await answer(indexed, `{ ${allowed} _meta { hasIndexingErrors block { number } deployment } }`),
    ).toEqual({
      data: { _meta: { hasIndexingErrors: true, block: { number: fine + 1 }, deployment: "QmErrors" } },
      ...deniedError,
    });
    expect(await answer(indexed, "{ _meta { hasIndexingErrors } }")).toEqual({
      data: { _meta: { hasIndexingErrors: true } },
    });
    // At earlier blocks there is no error.
    const before = `block: { number: ${fine} }`;
    expect(
      await answer(indexed, `{ items(${before}) { sold } _meta(${before}) { hasIndexingErrors } }`),
    ).toEqual({ data: { items: [{ sold: "5" }], _meta: { hasIndexingErrors: false } } });
  });

  it("are removed when their block is reverted, and the other errors stay", async () => {
    const shop = await openShop();
    const first = await shop.sell("cup", 13);
    const before = await anvil().snapshot();
    await shop.sell("plate", 13);
    const indexed = await shop.in(database, "QmErrors", bearing);
    await indexed.run();
    expect((await health())?.nonFatalErrors.map(({ block }) => block.number)).toEqual([first, first + 1]);
    await anvil().revert(before);
    await shop.sell("plate", 1);
    await anvil().mine(1);
    await indexed.run();
    const found = await health();
    expect(found).toMatchObject({ health: "unhealthy", firstErrorBlock: first });
    expect(found?.nonFatalErrors.map(({ block }) => block.number)).toEqual([first]);
  });

  it("prevent a graft unless they occur after the graft block", async () => {
    const shop = await openShop();
    const fine = await shop.sell("cup", 5);
    await shop.sell("cup", 13);
    await (await shop.in(database, "QmErrors", bearing)).run();
    const graft = (block: number) => (manifest: ShopManifest) => {
      manifest.features = ["grafting"];
      manifest.graft = { base: "QmErrors", block };
    };
    await expect(shop.in(database, "QmNew", graft(fine + 1), { reorgThreshold: 0 })).rejects.toMatchObject({
      message: `cannot graft onto QmErrors at block ${fine + 1}: it has had errors since block ${fine + 1}`,
      hint: `Graft at block ${fine} or earlier.`,
    });
    const { deployment } = await shop.in(database, "QmNew", graft(fine), { reorgThreshold: 0 });
    expect(deployment).toMatchObject({ health: "healthy", head: { number: fine } });
  });
});

describe("a fatal error", () => {
  it("stays recorded across restarts until a later block is written", async () => {
    const shop = await openShop();
    const fine = await shop.sell("cup", 5);
    const before = await anvil().snapshot();
    const failing = await anvil().send(shop.contract, "sell", ["cup", 13]);
    const indexed = await shop.in(database, "QmErrors");
    const { failure, progress } = await indexed.run();
    expect([failure?.block, progress.block]).toEqual([fine + 1, fine]);
    const failed = {
      health: "failed",
      fatalError: {
        message: expect.stringContaining("nobody buys 13 of cup"),
        block: { number: fine + 1, hash: failing.blockHash },
        handler: "handleSold",
        source: "Shop",
        logIndex: 0,
        deterministic: true,
        transactionHash: failing.transactionHash,
      },
      nonFatalErrors: [],
      // The head is the failing block, as on graph-node, but none of its changes are kept.
      latestBlock: { number: fine + 1 },
    };
    expect(await health()).toMatchObject(failed);
    // The error remains after the deployment is reopened and retried.
    const again = await shop.in(database, "QmErrors");
    expect(again.deployment.health).toBe("failed");
    await again.run();
    expect(await health()).toMatchObject(failed);
    // Like graph-node, the answer is only that there was an error.
    expect(await answer(again, `{ ${items} }`)).toEqual(deniedError);
    expect(await answer(again, "{ _meta { hasIndexingErrors } }")).toEqual({
      data: { _meta: { hasIndexingErrors: true } },
    });
    expect(await answer(again, "{ items(subgraphError: allow) { sold } }")).toEqual({
      data: { items: [{ sold: "5" }] },
      ...deniedError,
    });

    await anvil().revert(before);
    await shop.sell("cup", 1);
    await anvil().mine(1);
    await again.run();
    expect(await health()).toEqual({
      health: "healthy",
      nonFatalErrors: [],
      namespace: "sgd1",
      startBlock: shop.start,
      isSynced: true,
      latestBlock: expect.objectContaining({ number: fine + 2 }),
    });
    expect(await answer(again, `{ ${items} }`)).toEqual({
      data: { items: [{ id: "cup", times: 2, sold: "6" }] },
    });
  });

  it("in the first block leaves that block as the head, without entities", async () => {
    const shop = await openShop();
    await shop.sell("cup", 13);
    const indexed = await shop.in(database, "QmErrors");
    await indexed.run();
    const found = await health();
    expect(found).toMatchObject({ health: "failed", fatalError: { block: { number: shop.start } } });
    expect(found?.latestBlock).toMatchObject({ number: found?.fatalError?.block?.number });
    expect(await answer(indexed, `{ ${items} }`)).toEqual(deniedError);
    expect(await answer(indexed, "{ items(subgraphError: allow) { sold } }")).toEqual({
      data: { items: [] },
      ...deniedError,
    });
  });
});

it("the server reports no health for a deployment that was never indexed", async () => {
  expect(await health()).toBeUndefined();
  const schema = "type T @entity { id: ID! }";
  await openDeployment(database, { deployment: "QmErrors", network: "mainnet", schema, startBlock: 0 });
  expect(await health()).toEqual({
    health: "healthy",
    nonFatalErrors: [],
    namespace: "sgd1",
    startBlock: 0,
    isSynced: false,
  });
});
