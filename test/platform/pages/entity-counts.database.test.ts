import { beforeAll, expect, test } from "vitest";
import type { HostedStorage } from "../../../src/hosting/engine.js";
import { addMinutes } from "../../../src/platform/figures/figure-rows.js";
import { createNewEntities } from "../../../src/platform/pages/entity-counts.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { findDeployment } from "../../../src/store/deployments/deployments.js";
import { readableEntities } from "../../../src/store/deployments/readable-entities.js";
import { bigInt, set } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { type IndexedSubgraph, indexedSubgraph } from "../../support/pipelines/indexed-subgraph.js";

const now = Date.UTC(2026, 0, 2, 12);
const minute = 60_000;
const world = { now: () => now, timeout: (milliseconds: number) => AbortSignal.timeout(milliseconds) };

describeDatabases("entities that are new in the last hour", ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  const account = (id: string) => set("Account", id, { balance: bigInt(1n) });

  /** Three blocks with an account each, and one more that only changes the first account. */
  async function fourBlocks(): Promise<IndexedSubgraph> {
    const subgraph = await indexedSubgraph(database, "type Account @entity { id: ID!, balance: BigInt! }");
    for (const id of ["a", "b", "c", "a"]) await subgraph.commit([account(id)]);
    await database.query(
      SQL`insert into graphloom.builds (deployment, bundle, network, engine) values ($1::text, '', 'mainnet', 'embedded')`,
      [subgraph.build],
    );
    return subgraph;
  }

  /** Writes down at which block it was some time ago. */
  function measured({ build }: IndexedSubgraph, ago: number, block: number): Promise<void> {
    const none = { fromMemory: 0, fromEngine: 0, refused: 0, failed: 0 };
    return addMinutes(database, [
      { deployment: build, isOwn: true, at: now - ago, minutes: 1, state: "synced", block, ...none },
    ]);
  }

  async function added({ build }: IndexedSubgraph): Promise<unknown> {
    const found = await findDeployment(database, build);
    if (!found) throw new Error("the deployment is missing");
    const { layout } = readableEntities(found);
    const storage = { database, deployment: found, layout } as Partial<HostedStorage> as HostedStorage;
    return Object.fromEntries(
      (await createNewEntities({ database, world } as never)("project_1", storage)) ?? [],
    );
  }

  test("new entities are entities that did not exist at the block of an hour ago", async () => {
    const subgraph = await fourBlocks();
    await measured(subgraph, 62 * minute, 1);
    await measured(subgraph, 50 * minute, 3);
    expect(await added(subgraph)).toEqual({ account: 2n });
  });

  test("new entities are not counted where nothing was measured an hour ago", async () => {
    const subgraph = await fourBlocks();
    expect(await added(subgraph)).toEqual({});
    await measured(subgraph, 70 * minute, 1);
    await measured(subgraph, 50 * minute, 3);
    expect(await added(subgraph)).toEqual({});
  });

  test("new entities are not counted where the versions of an hour ago were pruned", async () => {
    const subgraph = await fourBlocks();
    await measured(subgraph, 62 * minute, 1);
    await database.query(
      SQL`update graphloom.deployments set earliest_block = 3 where deployment = $1::text`,
      [subgraph.build],
    );
    expect(await added(subgraph)).toEqual({});
  });
});
