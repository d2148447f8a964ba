import { beforeAll, describe, expect, test } from "vitest";
import { type Database, DatabaseError, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { type Deployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import type { EntityTable } from "../../../src/store/entities/entity-table.js";
import { type IdLimits, KnownIds } from "../../../src/store/entities/known-ids.js";
import { entityTables, openStore } from "../../../src/store/entities/open-store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases } from "../../support/database/databases.js";

const schema = `
  type Token @entity { id: Bytes! n: Int }
  type Note @entity(immutable: true) { id: ID! }
`;
const entities = readEntitySchema(schema);
const tokens = 5_000;
const often = "0xffffffff";
const idOf = (index: number): string => `0x${index.toString(16).padStart(8, "0")}`;

describeDatabases("entities that were written", ({ fresh, provider }) => {
  let database: Database;
  let deployment: Deployment;
  let token: EntityTable;

  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
    deployment = await openDeployment(database, {
      deployment: "QmRead",
      network: "mainnet",
      schema,
      startBlock: 0,
    });
    const { namespace } = deployment;
    // Three versions of each, the last one current except for every tenth entity. One entity has fifty.
    await database.run(SQL`
      insert into ${quoteName(namespace)}.token (vid, block_range, id, n)
        select v * 1000000 + i, int4range(v, case when v < 2 then v + 1 when i % 10 = 0 then 3 end),
            decode(lpad(to_hex(i), 8, '0'), 'hex'), v
          from generate_series(0, 2) v, generate_series(0, ${tokens - 1}) i;
      insert into ${quoteName(namespace)}.token (vid, block_range, id, n)
        select 10000000 + v, int4range(v, case when v < 49 then v + 1 end), '\\xffffffff', v
          from generate_series(0, 49) v;
      analyze ${quoteName(namespace)}.token`);
    const found = entityTables(layoutOf(deployment, entities), entities).get("Token");
    if (!found) throw new Error("there is a table");
    token = found;
  });

  test("the store finds entities by id among any number of versions", async () => {
    const written = { ...deployment, head: { number: 50, hash: "0x50" } };
    const store = openStore(database, written, { entities, dataSources: [], templates: [] });
    const ids = [idOf(1), often, idOf(20), idOf(4_999), "0x", idOf(tokens), idOf(1)];
    const found = await store.getMany?.("Token", ids);
    expect([...(found ?? [])].map(([id, entity]) => [id, entity.get("n")])).toEqual([
      [idOf(1), { kind: "Int", value: 2 }],
      [often, { kind: "Int", value: 49 }],
      [idOf(4_999), { kind: "Int", value: 2 }],
    ]);
  });

  if (provider === "postgres") {
    test("the store looks entities up in the index of ids, and few of them in the index of ids and blocks", async () => {
      const ids = Array.from({ length: 50 }, (_, index) => `"\\\\x${idOf(index * 10 + 1).slice(2)}"`);
      const lines = await database.query(SQL`explain (analyze, timing off) ${token.currentOfMany}`, [
        `{${ids.join(",")}}`,
      ]);
      const plan = lines.map((line) => Object.values(line)[0]).join("\n");
      expect(plan).toMatch(/attr_0_0_token_id.*loops=50/);
      expect(plan).toMatch(/token_id_block_range_excl.*never executed/);
      expect(plan).not.toContain("Seq Scan");
    });
  }

  describe("very many entities", () => {
    const known = (limits: Partial<IdLimits>) =>
      new KnownIds([], { mostAtOnce: 1_000, pageSize: 700, ...limits });

    test("reads ids in the background and knows them once they are read", async () => {
      const ids = known({});
      await ids.prepare(database, token);
      expect(ids.lacks("Token", idOf(tokens))).toBe(false);
      // Written while the other ids are still being read.
      ids.add("Token", idOf(tokens + 1));
      await ids.settled();
      expect(ids.lacks("Token", idOf(tokens))).toBe(true);
      for (const id of [idOf(tokens + 1), idOf(0), idOf(tokens - 1), often]) {
        expect(ids.lacks("Token", id), id).toBe(false);
      }
    });

    test("asks the database every time if there are too many ids", async () => {
      const ids = known({ mostRows: 10_000 });
      await ids.prepare(database, token);
      await ids.settled();
      expect(ids.lacks("Token", idOf(tokens))).toBe(false);
    });

    test("asks the database every time if the ids cannot be read", async () => {
      const ids = known({});
      let asked = 0;
      const failing: Pick<Database, "query" | "run"> = {
        query: async (...query) => {
          if (asked++ > 2) throw new DatabaseError("gone");
          return database.query(...query);
        },
        run: (script) => database.run(script),
      };
      await ids.prepare(failing, token);
      await ids.settled();
      expect(ids.lacks("Token", idOf(tokens))).toBe(false);
    });

    test("waits for the ids if there are few", async () => {
      const ids = known({ mostAtOnce: 20_000 });
      await ids.prepare(database, token);
      expect(ids.lacks("Token", idOf(tokens))).toBe(true);
      expect(ids.lacks("Token", often)).toBe(false);
    });
  });
});
