import { beforeEach, expect, test } from "vitest";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteName } from "../../../src/store/database/quote.js";
import {
  type Deployment,
  findDeployment,
  layoutOf,
  openDeployment,
} from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { browseEntities } from "../../../src/store/tables/browse-entities.js";
import { SnapshotLost } from "../../../src/store/tables/feed.js";
import { TableFeed } from "../../../src/store/tables/table-feed.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { block, int, remove, set } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";

const schema = `
  type Token @entity { id: ID! n: Int }
  type Note @entity(immutable: true) { id: ID! }
`;

describeDatabases("the history of entities", ({ fresh }) => {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
  });

  const open = async (historyBlocks?: number): Promise<{ deployment: Deployment; store: Store }> => {
    const wanted = { deployment: "QmKept", network: "mainnet", schema, startBlock: 0 };
    const deployment = await openDeployment(database, {
      ...wanted,
      ...(historyBlocks !== undefined && { historyBlocks }),
    });
    const store = openStore(database, deployment, {
      entities: readEntitySchema(schema),
      dataSources: [],
      templates: [],
    });
    return { deployment, store };
  };
  const commit = (store: Store, number: number, more = false): Promise<void> =>
    store.commit(
      block(number),
      {
        changes: [
          set("Token", "t", { n: int(number) }),
          set("Note", `n${number}`, {}),
          number % 2 === 0 ? set("Token", "u", { n: int(number) }) : remove("Token", "u"),
        ],
        dataSources: [],
      },
      { more },
    );
  const ranges = async ({ namespace }: Deployment): Promise<readonly string[]> => {
    const rows = await database.query(
      SQL`select id, block_range from ${quoteName(namespace)}.token order by id, vid`,
    );
    return rows.map((row) => `${row.id} ${row.block_range}`);
  };
  const earliest = async (): Promise<number | undefined> =>
    (await findDeployment(database, "QmKept"))?.earliestBlock;

  test("the store keeps the whole history by default", async () => {
    const { store, deployment } = await open();
    for (let number = 0; number < 30; number++) await commit(store, number, true);
    await store.flush?.();
    expect(deployment.historyBlocks).toBeUndefined();
    expect((await ranges(deployment)).length).toBe(45);
    expect(await earliest()).toBe(0);
  });

  test.each([
    ["block by block", false],
    ["many blocks at a time", true],
  ])("the store prunes history once it exceeds the limit by a fifth, %s", async (_, more) => {
    const { store, deployment } = await open(10);
    for (let number = 0; number <= 12; number++) await commit(store, number, more);
    await store.flush?.();
    expect(await earliest()).toBe(0);
    expect((await ranges(deployment)).length).toBe(20);
    await commit(store, 13);
    expect(await earliest()).toBe(3);
    const kept = await ranges(deployment);
    const begun = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    expect(kept.filter((range) => range.startsWith("t"))).toEqual([
      ...begun.map((number) => `t [${number},${number + 1})`),
      "t [13,)",
    ]);
    expect(kept.filter((range) => range.startsWith("u"))).toEqual(
      [4, 6, 8, 10, 12].map((number) => `u [${number},${number + 1})`),
    );
    expect((await store.counts()).get("Note")).toEqual({ entities: 14, versions: 14 });
    expect((await store.all("Token", 3)).map((token) => token.get("n"))).toEqual([int(3)]);
    expect((await findDeployment(database, "QmKept"))?.historyBlocks).toBe(10);
  });

  test("the store reverts to kept history and refuses to revert to pruned history", async () => {
    const { store } = await open(10);
    for (let number = 0; number <= 13; number++) await commit(store, number);
    await expect(store.revert(block(2))).rejects.toMatchObject({
      message: "cannot revert to block 2: entities are kept only from block 3",
      hint: "Index the subgraph again into a new database, and keep more history (indexerHints.prune).",
    });
    expect(await store.head()).toEqual(block(13));
    await store.revert(block(3));
    expect((await store.get("Token", "t"))?.get("n")).toEqual(int(3));
    expect(await store.get("Token", "u")).toBeUndefined();
    await store.revert(undefined);
    expect(await earliest()).toBe(0);
    expect(await store.all("Note")).toEqual([]);
  });

  test("the store refuses to read pruned history", async () => {
    const { store, deployment } = await open(10);
    for (let number = 0; number <= 13; number++) await commit(store, number);
    const kept = {
      message: "entities are kept only from block 3, so block 2 cannot be read",
      hint: "Ask for block 3 or later. For older blocks, index the subgraph again and keep more history (indexerHints.prune).",
    };
    await expect(store.all("Token", 2)).rejects.toMatchObject(kept);
    const layout = layoutOf(deployment);
    const [token] = layout.tables;
    if (!token) throw new Error("there is a table");
    const rows = (block: number) =>
      browseEntities(database, layout, token, {
        deployment: deployment.id,
        block,
        filters: [],
        limit: 9,
        longest: 9,
      });
    await expect(rows(2)).rejects.toMatchObject(kept);
    expect((await rows(3)).rows).toMatchObject([{ values: { id: "t", n: "3" } }]);
  });

  test("the store reports that pruning removed history that a snapshot reader needs", async () => {
    const { store, deployment } = await open(10);
    for (let number = 0; number <= 5; number++) await commit(store, number);
    const layout = layoutOf(deployment);
    const feed = new TableFeed({ database, deployment: deployment.id, layout, reader: "one" });
    const { pages } = await feed.begin();
    const pageByPage = pages(1)[Symbol.asyncIterator]();
    await pageByPage.next();
    for (let number = 6; number <= 20; number++) await commit(store, number);
    const next = pageByPage.next();
    await expect(next).rejects.toThrow(SnapshotLost);
    await expect(next).rejects.toThrow("block 5 is older than the kept history");
  });
});
