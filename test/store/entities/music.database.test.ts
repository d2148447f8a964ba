import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { findDeployment, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange, StoreValue } from "../../../src/subgraph/schema/entity.js";
import type { EntityType, Field } from "../../../src/subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { single } from "../../support/compiler/made-entity.js";
import { describeDatabases } from "../../support/database/databases.js";

type Plain = string | number | boolean | null | readonly Plain[];

interface Operation {
  readonly op: "set" | "remove";
  readonly type: string;
  readonly id?: string;
  readonly data?: Readonly<Record<string, Plain>>;
}

interface Music {
  readonly schema: string;
  readonly blocks: readonly {
    readonly number: number;
    readonly hash: string;
    readonly timestamp: number;
    readonly ops: readonly Operation[];
  }[];
  readonly tables: readonly { readonly table: string; readonly rows: readonly object[] }[];
}

const music: Music = JSON.parse(
  readFileSync(new URL("../../platform/data/music.json", import.meta.url), "utf8"),
);
const schema = readEntitySchema(music.schema);
const entityTables = music.tables.filter(({ table }) => table !== "data_sources$");

describeDatabases("what graph-node made of the same writes", ({ fresh }) => {
  let database: Database;
  let namespace: string;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
  });

  describe.each([
    ["a block at a time", false, 5000],
    ["all held back", true, 5000],
    ["a few held back", true, 4],
  ])("written %s", (_, more, mostChanges) => {
    let store: Store;
    beforeEach(async () => {
      const wanted = { deployment: "QmMusic", network: "mainnet", schema: music.schema, startBlock: 10 };
      const deployment = await openDeployment(database, wanted);
      namespace = deployment.namespace;
      store = openStore(
        database,
        deployment,
        { entities: schema, dataSources: [1], templates: [] },
        { mostChanges },
      );
      for (const block of music.blocks) {
        const changes = await changesOf(store, block);
        await store.commit(
          { number: block.number, hash: block.hash, timestamp: BigInt(block.timestamp) },
          { changes, dataSources: [] },
          { more },
        );
      }
      await store.flush?.();
    });

    test("the tables hold the same rows as graph-node's", async () => {
      for (const { table, rows } of entityTables) {
        expect(await rowsOf(database, namespace, table), table).toEqual(rows);
      }
    });

    test("another store reads the same entities", async () => {
      const deployment = await findDeployment(database, "QmMusic");
      if (!deployment) throw new Error("the deployment is there");
      expect(deployment.head?.number).toBe(music.blocks.at(-1)?.number);
      const again = openStore(database, deployment, { entities: schema, dataSources: [1], templates: [] });
      for (const type of schema.types.keys()) expect(await again.all(type)).toEqual(await store.all(type));
      expect((await again.get("Musician", "m3"))?.get("born")).toEqual({
        kind: "Timestamp",
        value: 1_700_000_000_000_001n,
      });
    });
  });
});

/** Merges a mapping's writes: given fields replace existing ones. */
async function changesOf(
  store: Store,
  { number, timestamp, ops }: Music["blocks"][number],
): Promise<readonly EntityChange[]> {
  const changes: EntityChange[] = [];
  let points = 0;
  for (const { op, type: name, id, data = {} } of ops) {
    const type = schema.types.get(name);
    if (!type) throw new Error(`the schema has no ${name}`);
    const given = type.timeseries
      ? { ...data, id: String((BigInt(number) << 32n) + BigInt(points++)), timestamp: `${timestamp}000000` }
      : data;
    const key = idOf(type, String(id ?? given.id));
    if (op === "remove") {
      changes.push({ kind: "remove", type: name, id: key });
      continue;
    }
    const values = new Map(await store.get(name, key));
    for (const [field, value] of Object.entries(given))
      values.set(field, storeValueOf(type.fields.get(field), value));
    const entity = new Map(
      [...values].filter(([, { kind }]) => kind !== "Null").sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    changes.push({ kind: "set", type: name, id: key, entity });
  }
  return changes;
}

function idOf({ idKind }: EntityType, id: string): string {
  return idKind === "Bytes" ? id.toLowerCase() : id;
}

function storeValueOf(field: Field | undefined, value: Plain): StoreValue {
  if (!field) throw new Error("the schema has no such field");
  if (value === null) return { kind: "Null" };
  if (Array.isArray(value))
    return { kind: "Array", value: value.map((item) => storeValueOf({ ...field, list: false }, item)) };
  return single(field.kind, String(value));
}

/** Rows as JSON with every value as a string, the form in which the facts were recorded. */
async function rowsOf(database: Database, namespace: string, table: string): Promise<readonly object[]> {
  const rows = await database.query(SQL`
    select (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(t))) as row
      from ${quoteNames(namespace, table)} t order by vid`);
  return rows.map(({ row }) => JSON.parse(row ?? "null"));
}
