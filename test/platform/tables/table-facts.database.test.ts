import { beforeAll, describe, expect, test } from "vitest";
import { layoutOf, openDeployment } from "../../../src/platform/catalog/deployments.js";
import type { Database } from "../../../src/platform/database/database.js";
import { migrate } from "../../../src/platform/database/migrate.js";
import { openStore } from "../../../src/platform/entities/open-store.js";
import { blockChanges } from "../../../src/platform/tables/block-changes.js";
import type { EntityTable, Layout } from "../../../src/platform/tables/layout.js";
import { rowsAt, tableFacts } from "../../../src/platform/tables/table-facts.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, block, int8, remove, set, timestamp } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/databases.js";

const schema = `
  enum Kind { A B }
  type Token @entity { id: ID!, supply: BigInt, kinds: [Kind!], holder: Holder }
  type Holder @entity(immutable: true) { id: Bytes! }
`;

describeDatabases("of the tables of a deployment", ({ fresh }) => {
  let database: Database;
  let layout: Layout;
  let token: EntityTable;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
    const wanted = { deployment: "QmFacts", network: "mainnet", schema, startBlock: 0 };
    const deployment = await openDeployment(database, wanted);
    layout = layoutOf(deployment);
    const [first] = layout.tables;
    if (!first) throw new Error("there is a table");
    token = first;
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

  test("counts, columns and types are told", async () => {
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

  test("entities are read at a block, page by page", async () => {
    const ids = async (at: number, limit: number, after?: bigint) =>
      (
        await rowsAt(database, layout, token, {
          deployment: undefined,
          block: at,
          limit,
          ...(after !== undefined && { after }),
        })
      ).map(({ id, supply }) => `${id} ${supply}`);
    expect(await ids(0, 9)).toEqual([]);
    expect(await ids(1, 2)).toEqual(["a 1", "b 1"]);
    expect(await ids(1, 2, (1n << 32n) + 101n)).toEqual(["c 1"]);
    expect(await ids(3, 9)).toEqual(["c 1", "a 2"]);
    expect(await ids(4, 9)).toEqual(["c 1", "b 4"]);
  });

  describe("changes", () => {
    const changes = async (after: { block: number; vid?: bigint }, to: number, limit = 99) =>
      (await blockChanges(database, layout, { deployment: undefined, after, to, limit })).map(
        ({ block: at, op, table, old, new: fresh }) =>
          `${at} ${op} ${table} ${(fresh ?? old)?.id} ${old?.supply ?? "-"} ${fresh?.supply ?? "-"}`,
      );

    test("are told by block", async () => {
      const all = [
        "1 i token a - 1",
        "1 i token b - 1",
        "1 i token c - 1",
        "2 d token b 1 -",
        "2 u token a 1 2",
        "4 d token a 2 -",
        "4 i holder \\x01 - -",
        "4 i token b - 4",
      ];
      expect(await changes({ block: -1 }, 9)).toEqual(all);
      expect(await changes({ block: 1 }, 3)).toEqual(all.slice(3, 5));
      expect(await changes({ block: 4 }, 9)).toEqual([]);
      const paged: string[] = [];
      for (let after: { block: number; vid?: bigint } = { block: -1 }; ; ) {
        const [change] = await blockChanges(database, layout, {
          deployment: undefined,
          after,
          to: 9,
          limit: 1,
        });
        if (!change) break;
        paged.push(...(await changes(after, 9, 1)));
        after = change;
      }
      expect(paged).toEqual(all);
    });

    test("are told once, where tables number their rows alike", async () => {
      const schema = `type Tick @entity(timeseries: true) { id: Int8! timestamp: Timestamp! }
        type Count @aggregation(intervals: ["hour", "day"], source: "Tick") {
          id: Int8! timestamp: Timestamp! n: Int! @aggregate(fn: "count")
        }`;
      const wanted = { deployment: "QmTicks", network: "mainnet", schema, startBlock: 0 };
      const deployment = await openDeployment(database, wanted);
      const built = { entities: readEntitySchema(schema), dataSources: [], templates: [] };
      const store = openStore(database, deployment, built);
      const tick = set("Tick", "1", { id: int8(1n), timestamp: timestamp(0n) });
      await store.commit({ ...block(1), timestamp: 0n }, { changes: [tick], dataSources: [] });
      await store.commit({ ...block(2), timestamp: 86_400n }, { changes: [], dataSources: [] });
      const told: string[] = [];
      for (let after: { block: number; vid?: bigint; table?: string } = { block: 1 }; ; ) {
        const page = { deployment: deployment.id, after, to: 9, limit: 1 };
        const [change] = await blockChanges(database, layoutOf(deployment), page);
        if (!change) break;
        told.push(`${change.block} ${change.vid} ${change.table}`);
        after = change;
      }
      expect(told).toEqual(["2 1 count_day", "2 1 count_hour"]);
    });

    test("tell the whole rows", async () => {
      const [, , , , change] = await blockChanges(database, layout, {
        deployment: undefined,
        after: { block: -1 },
        to: 9,
        limit: 5,
      });
      const row = { id: "a", kinds: null, holder: null };
      expect(change).toEqual({
        block: 2,
        vid: (2n << 32n) + 100n,
        table: "token",
        op: "u",
        old: { ...row, vid: String((1n << 32n) + 100n), supply: "1" },
        new: { ...row, vid: String((2n << 32n) + 100n), supply: "2" },
      });
    });
  });
});
