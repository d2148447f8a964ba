import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { Layout } from "../../../src/store/tables/layout.js";
import {
  countEntities,
  entityCounts,
  newEntities,
  tableFacts,
} from "../../../src/store/tables/table-facts.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, block, int, int8, remove, set, timestamp } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";

const schema = `
  enum Kind { A B }
  type Token @entity { id: ID!, supply: BigInt, kinds: [Kind!], holder: Holder }
  type Holder @entity(immutable: true) { id: Bytes! }
`;

describeDatabases("of the tables of a deployment", ({ fresh }) => {
  let database: Database;
  let layout: Layout;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
    const wanted = { deployment: "QmFacts", network: "mainnet", schema, startBlock: 0 };
    const deployment = await openDeployment(database, wanted);
    layout = layoutOf(deployment);
    const entities = readEntitySchema(schema);
    const store = openStore(database, deployment, { entities, dataSources: [], templates: [] });
    const supply = (id: string, n: bigint) => set("Token", id, { supply: bigInt(n) });
    await store.commit(block(1), {
      changes: [supply("a", 1n), supply("b", 1n), supply("c", 1n)],
      dataSources: [],
    });
    await store.commit(block(2), { changes: [supply("a", 2n), remove("Token", "b")], dataSources: [] });
    const holder = set("Holder", "0x01", { id: { kind: "Bytes", value: "0x01" } });
    await store.commit(block(4), {
      changes: [holder, supply("b", 4n), remove("Token", "a")],
      dataSources: [],
    });
  });

  test("the store reports counts, columns and types", async () => {
    expect(await tableFacts(database, layout)).toEqual([
      {
        table: "token",
        type: "Token",
        rows: 5n,
        columns: [
          { name: "vid", dataType: "bigint" },
          { name: "block_range", dataType: "int4range" },
          { name: "id", dataType: "text" },
          { name: "supply", dataType: "numeric" },
          { name: "kinds", dataType: "kind[]" },
          { name: "holder", dataType: "bytea" },
        ],
      },
      {
        table: "holder",
        type: "Holder",
        rows: 1n,
        columns: [
          { name: "vid", dataType: "bigint" },
          { name: "block$", dataType: "integer" },
          { name: "id", dataType: "bytea" },
        ],
      },
    ]);
    expect(await tableFacts(database, { ...layout, tables: [] })).toEqual([]);
  });

  test("the store counts entities, not their versions", async () => {
    expect([...(await entityCounts(database, layout))]).toEqual([
      ["token", 2n],
      ["holder", 1n],
    ]);
    expect(await countEntities(database, layout)).toBe(3n);
    expect(await countEntities(database, { ...layout, tables: [] })).toBe(0n);
  });

  test("the store does not count rows of aggregations, as graph-node does", async () => {
    const text = `
      type Point @entity(timeseries: true) { id: Int8!, timestamp: Timestamp!, n: Int! }
      type Total @aggregation(intervals: ["hour"], source: "Point") {
        id: Int8!, timestamp: Timestamp!, sum: Int! @aggregate(fn: "sum", arg: "n")
      }
    `;
    const wanted = { deployment: "QmTotals", network: "mainnet", schema: text, startBlock: 0 };
    const deployment = await openDeployment(database, wanted);
    const own = layoutOf(deployment);
    const store = openStore(database, deployment, {
      entities: readEntitySchema(text),
      dataSources: [],
      templates: [],
    });
    const point = set("Point", "1", {
      id: int8(1n),
      timestamp: timestamp(0n),
      n: int(3),
    });
    await store.commit({ ...block(1), timestamp: 0n }, { changes: [point], dataSources: [] });
    await store.commit({ ...block(2), timestamp: 3_600n }, { changes: [], dataSources: [] });
    expect([...(await entityCounts(database, own))]).toEqual([
      ["point", 1n],
      ["total_hour", 1n],
    ]);
    expect(await countEntities(database, own)).toBe(1n);
  });

  test("the store counts entities that did not exist at a block", async () => {
    const added = async (after: number) => Object.fromEntries(await newEntities(database, layout, after));
    // `a` was removed, `c` has been there since block 1, and `b` came back in block 4.
    expect(await added(0)).toEqual({ token: 2n, holder: 1n });
    expect(await added(1)).toEqual({ token: 0n, holder: 1n });
    expect(await added(3)).toEqual({ token: 0n, holder: 1n });
    expect(await added(4)).toEqual({ token: 0n, holder: 0n });
    expect(await newEntities(database, { ...layout, tables: [] }, 0)).toEqual(new Map());
  });
});
