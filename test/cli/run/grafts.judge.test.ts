import { beforeEach, describe, expect, it } from "vitest";
import { run } from "../../../src/runtime/run-subgraph.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { type BuildToKeep, KeptStores } from "../../../src/store/kept-stores.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { ReadBuild } from "../../../src/subgraph/runnable/read-build.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { type Shop, type ShopManifest, useShops } from "../../platform/built/shop.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { onPglite } from "../../support/database/databases.js";

const anvil = useAnvil();
const openShop = useShops(anvil);
const databases = onPglite();
let shop: Shop;
let kept: KeptStores;
let asked: number[];
beforeEach(async () => {
  shop = await openShop();
  const database = await databases.fresh();
  await migrate(database);
  kept = new KeptStores(database, true);
  asked = [];
});

const onto = (base: string, block: number) => (manifest: ShopManifest) => {
  manifest.features = ["grafting"];
  manifest.graft = { base, block };
};
const toKeep = (files: BuiltFiles): BuildToKeep => ({
  build: ReadBuild.of(files),
  first: shop.start,
  blockHash: async (number) => {
    asked.push(number);
    return (await anvil().chain().block(number))?.hash;
  },
});
async function index(
  files: BuiltFiles,
  to?: number,
): Promise<{ readonly id: string; readonly store: Store }> {
  const { store } = await kept.store(toKeep(files));
  await run(readRunnable(files), anvil().chain(), store, { to });
  return { id: linkBuild(collectBuild(files)).deploymentId, store };
}

describe("a stored subgraph with a graft", () => {
  it("asks the chain once for the block's hash, even if the base has not stored the block", async () => {
    const one = await shop.sell("cup", 5);
    // Far from the chain head, blocks without a sale are not stored.
    await anvil().mine(270);
    const { id } = await index(shop.build(), one + 8);
    expect(asked).toEqual([]);
    const block = one + 4;
    const files = shop.build(onto(id, block));
    const { store } = await kept.store(toKeep(files));
    expect(asked).toEqual([block]);
    expect(await store.head()).toEqual({ number: block, hash: (await anvil().chain().block(block))?.hash });
    await kept.store(toKeep(files));
    expect(asked).toEqual([block]);
  });

  it("is rejected when the chain replaced the block, until the base has caught up", async () => {
    const one = await shop.sell("cup", 5);
    const before = await anvil().snapshot();
    const two = await shop.sell("cup", 7);
    const { id } = await index(shop.build());
    await anvil().revert(before);
    await shop.sell("plate", 1);
    const files = shop.build(onto(id, two));
    await expect(kept.store(toKeep(files))).rejects.toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^block ${two} of ${id} has the hash 0x\\w+, but the chain now has 0x\\w+$`),
      ),
      hint: "Continue indexing the base first. It will revert the blocks that the chain has replaced.",
    });
    await anvil().mine(1);
    await index(shop.build());
    const { store } = await kept.store(toKeep(files));
    expect((await store.all("Item")).map((item) => item.get("id"))).toEqual([
      { kind: "String", value: "cup" },
      { kind: "String", value: "plate" },
    ]);
    expect((await store.all("Item", one)).length).toBe(1);
  });

  it("reports an invalid graft without asking the chain", async () => {
    await shop.sell("cup", 5);
    await expect(kept.store(toKeep(shop.build(onto("QmNobody", shop.start))))).rejects.toThrow(
      `cannot graft onto QmNobody at block ${shop.start}: it is not in the database`,
    );
    expect(asked).toEqual([]);
  });
});
