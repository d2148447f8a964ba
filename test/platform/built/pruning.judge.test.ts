import { beforeEach, expect, it } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { findDeployment } from "../../../src/store/deployments/deployments.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { onPglite } from "../../support/database/databases.js";
import { useShops } from "./shop.js";

const anvil = useAnvil();
const openShop = useShops(anvil);
const databases = onPglite();
let database: Database;
beforeEach(async () => {
  database = await databases.fresh();
  await migrate(database);
});

it("a subgraph with pruning keeps only its latest history and reports the earliest block it has", async () => {
  const shop = await openShop();
  for (let number = 1; number <= 20; number++) await shop.sell("cup", 1);
  await anvil().mine(200);
  for (let number = 1; number <= 3; number++) await shop.sell("cup", 1);
  await anvil().mine(100);
  const head = await anvil().blockNumber();
  // Far from the head, so that many blocks are written in one batch.
  await anvil().mine(250);
  const plain = await shop.in(database, "QmAll");
  const indexed = await shop.in(database, "QmPruned", (manifest) => {
    manifest.indexerHints = { prune: 5 };
  });
  // Blocks that the chain may still replace are always kept.
  expect(indexed.deployment.historyBlocks).toBe(250);
  await plain.run({ to: head });
  const { store, progress } = await indexed.run({ to: head });
  expect(progress.block).toBe(head);
  const earliest = (await findDeployment(database, "QmPruned"))?.earliestBlock ?? 0;
  expect(head - earliest).toBe(250);
  const times = async (at: string) => {
    const { data, errors } = await indexed.query(
      `{ item(id: "cup"${at}) { times } sales(first: 1000) { id } }`,
    );
    return errors ?? [data?.item, (data?.sales as unknown[]).length];
  };
  // Immutable entities are never pruned.
  expect(await times("")).toEqual([{ times: 23 }, 23]);
  expect(await times(`, block: { number: ${earliest} }`)).toEqual([{ times: 20 }, 23]);
  expect(await times(`, block: { number: ${earliest - 1} }`)).toEqual([
    {
      message:
        `Failed to decode \`block.number\` value: \`subgraph QmPruned only has data starting at block number ${earliest} ` +
        `and data for block number ${earliest - 1} is therefore not available\``,
    },
  ]);
  const counts = await store.counts();
  expect(counts.get("Item")).toEqual({ entities: 1, versions: 4 });
  expect((await store.all("Item", earliest)).length).toBe(1);
  await expect(store.all("Item", earliest - 1)).rejects.toThrow(
    `entities are kept only from block ${earliest}`,
  );
  // Without pruning, the same query succeeds.
  const { data } = await plain.query(`{ item(id: "cup", block: { number: ${shop.start + 1} }) { times } }`);
  expect(data).toEqual({ item: { times: 2 } });
});
