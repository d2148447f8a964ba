import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { useAnvil } from "../../support/chain/anvil.js";
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

/** Changes the manifest to graft at a block, and to record no individual sales after it. */
const onto = (base: string, block: number) => (manifest: ShopManifest) => {
  manifest.features = ["grafting"];
  manifest.graft = { base, block };
  for (const handler of manifest.dataSources[0]?.mapping.eventHandlers ?? [])
    handler.handler = "handleCounted";
};
const settled = { reorgThreshold: 0 };
const items = async (shop: IndexedShop, at = ""): Promise<unknown> => {
  const { data, errors } = await shop.query(`{ items${at} { id times sold } }`);
  return errors ?? data?.items;
};
const amounts = async (shop: IndexedShop): Promise<unknown> =>
  (await shop.query("{ sales(orderBy: id) { amount } }")).data?.sales;

describe("a grafted subgraph built by graph build", () => {
  it("has the entities of its base up to the graft block, and its own after it", async () => {
    const shop = await openShop();
    const one = await shop.sell("cup", 5);
    const two = await shop.sell("cup", 7);
    await shop.sell("plate", 1);
    const base = await shop.in(database, "QmBase");
    await base.run();
    const grafted = await shop.in(database, "QmNew", onto("QmBase", two), settled);
    const ofBase = [
      { id: "cup", times: 2, sold: "12" },
      { id: "plate", times: 1, sold: "1" },
    ];
    // Before its first run, it answers for the graft block and earlier blocks.
    expect(await items(grafted)).toEqual([ofBase[0]]);
    expect(await items(grafted, `(block: { number: ${one} })`)).toEqual([{ id: "cup", times: 1, sold: "5" }]);
    const { data } = await grafted.query("{ _meta { block { number hash } deployment } }");
    const { hash } = await anvil().rpc<{ hash: string }>(
      "eth_getBlockByNumber",
      `0x${two.toString(16)}`,
      false,
    );
    expect(data).toEqual({ _meta: { block: { number: two, hash }, deployment: "QmNew" } });
    expect(await items(grafted, `(block: { number: ${two + 1} })`)).toEqual([
      { message: expect.stringContaining(`has only indexed up to block number ${two}`) },
    ]);
    expect(await items(grafted, `(block: { number: ${shop.start - 2} })`)).toEqual([
      { message: expect.stringContaining("only has data starting at block number") },
    ]);

    await shop.sell("cup", 3);
    const { progress, failure } = await grafted.run();
    expect([failure, progress.handlers]).toEqual([undefined, 2]);
    expect(await items(grafted)).toEqual([{ id: "cup", times: 3, sold: "15" }, ofBase[1]]);
    expect(await amounts(grafted)).toEqual([{ amount: "5" }, { amount: "7" }]);
    // The base is unchanged until it continues itself.
    expect(await items(base)).toEqual(ofBase);
    await base.run();
    expect(await items(base)).toEqual(await items(grafted));
    expect(await amounts(base)).toEqual([5, 7, 1, 3].map((amount) => ({ amount: String(amount) })));
  });

  it("reverts below the graft block when the chain does", async () => {
    const shop = await openShop();
    await shop.sell("cup", 5);
    const before = await anvil().snapshot();
    const two = await shop.sell("cup", 7);
    await (await shop.in(database, "QmBase")).run();
    const grafted = await shop.in(database, "QmNew", onto("QmBase", two), settled);
    await anvil().revert(before);
    await shop.sell("cup", 1);
    await shop.sell("plate", 2);
    const { progress } = await grafted.run();
    expect(progress.reverted).toBeGreaterThan(0);
    expect(await items(grafted)).toEqual([
      { id: "cup", times: 2, sold: "6" },
      { id: "plate", times: 1, sold: "2" },
    ]);
    // The grafted subgraph records no sales of its own.
    expect(await amounts(grafted)).toEqual([{ amount: "5" }]);
  });

  it("waits until the graft block is final, as graph-node does", async () => {
    const shop = await openShop();
    const one = await shop.sell("cup", 5);
    const base = await shop.in(database, "QmBase");
    await anvil().mine(600);
    await base.run({ to: one + 249 });
    await expect(shop.in(database, "QmNew", onto("QmBase", one))).rejects.toThrow(
      `it has reached block ${one + 249}, and the chain may still replace the last 250 blocks`,
    );
    await base.run({ to: one + 250 });
    const { deployment } = await shop.in(database, "QmNew", onto("QmBase", one));
    expect(deployment.head?.number).toBe(one);
  });
});
