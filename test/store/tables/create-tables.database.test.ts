import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { createTables } from "../../../src/store/tables/create-tables.js";
import { layOut } from "../../../src/store/tables/lay-out.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases } from "../../support/database/databases.js";

interface TableFacts {
  readonly table: string;
  readonly columns: readonly (readonly [name: string, type: string, notNull: boolean])[];
  readonly constraints: readonly (readonly [name: string, definition: string])[];
  readonly indexes: readonly (readonly [name: string, definition: string])[];
}

const music: { readonly schema: string; readonly tables: readonly TableFacts[] } = JSON.parse(
  readFileSync(new URL("../../platform/data/music.json", import.meta.url), "utf8"),
);

describeDatabases("the tables of a deployment", ({ fresh }) => {
  let database: Database;
  const make = async (namespace: string, schema: string, fileTypes: readonly string[] = []) => {
    const layout = layOut(readEntitySchema(schema), namespace, { fileTypes: new Set(fileTypes) });
    await database.transaction((sql) => sql.run(createTables(layout)));
    return layout;
  };

  beforeAll(async () => {
    database = await fresh();
    await database.run(SQL`create extension if not exists btree_gist`);
    await make("sgd2", music.schema);
  });

  test("the store creates graph-node's tables, including its proofs, and a log of changes", async () => {
    const rows = await database.query(
      SQL`select table_name from information_schema.tables where table_schema = 'sgd2' order by 1`,
    );
    expect(rows.map((row) => row.table_name)).toEqual(
      ["changes$", "poi2$", ...music.tables.map(({ table }) => table)].sort(),
    );
    expect(await labels(database, "sgd2", "genre")).toEqual(["FOLK", "JAZZ", "POP", "ROCK"]);
  });

  test.each(music.tables)("the store creates $table as graph-node does", async ({
    table,
    columns,
    constraints,
    indexes,
  }) => {
    const found = await facts(database, "sgd2", table);
    expect(found.columns).toEqual(columns);
    expect(found.indexes).toEqual(sorted(indexes));
    expect(found.constraints).toEqual(sorted(constraints));
  });

  test("the store separates versions of file entities by causality region", async () => {
    await make("sgd3", "type Note @entity { id: Bytes!, text: String }", ["Note"]);
    const { columns, constraints, indexes } = await facts(database, "sgd3", "note");
    expect(columns.map(([name]) => name)).toEqual(["vid", "block_range", "causality_region", "id", "text"]);
    expect(constraints).toContainEqual([
      "note_id_block_range_excl",
      "EXCLUDE USING gist (id WITH =, block_range WITH &&)",
    ]);
    expect(indexes.map(([name]) => name)).toContain("note_id_block_range_excl");
  });

  describe("names of tables", () => {
    test("accepts names that are keywords or long", async () => {
      const long = "a".repeat(70);
      const layout = await make(
        "sgd4",
        `enum Values { SELECT }
        type Select @entity { id: ID!, from: Int!, table: Order, order: [Int!], ${long}: String, values: Values }
        type Order @entity(immutable: true) { id: Int8!, group: Select }
        type BrinOrder @entity { id: ID! }
        type ${`B${long}`} @entity { id: ID!, ref: Select }
        type ${`C${long}`} @entity(immutable: true) { id: ID!, ref: Select }`,
      );
      expect(layout.tables.map(({ name }) => name)).toEqual([
        "select",
        "order",
        "brin_order",
        "ba".padEnd(63, "a"),
        "ca".padEnd(63, "a"),
      ]);
      const { columns } = await facts(database, "sgd4", "select");
      expect(columns.map(([name]) => name).slice(3)).toEqual([
        "from",
        "table",
        "order",
        "a".repeat(63),
        "values",
      ]);
    });

    test("accepts names that clash with the indexes of other tables", async () => {
      await make("sgd5", "type BrinFoo @entity { id: ID! } type Foo @entity { id: ID! }");
      const { indexes } = await facts(database, "sgd5", "foo");
      expect(indexes.map(([name]) => name).filter((name) => name.startsWith("brin"))).toEqual([
        expect.stringMatching(/^brin_foo_[0-9a-f]{8}$/),
      ]);
    });
  });
});

test.each([
  [
    "type TokenID @entity { id: ID! } type TokenId @entity { id: ID! }",
    "TokenId and TokenID would both be named token_id in the database: rename one of them",
  ],
  [
    "type A @entity { id: ID!, token0: Int, token_0: Int }",
    "token_0 and token0 would both be named token_0 among the columns of A",
  ],
  [
    "type A @entity { id: ID!, vid: Int }",
    "vid and an internal column would both be named vid among the columns of A",
  ],
  ["type A @entity { id: ID!, blockRange: Int }", "would both be named block_range"],
  ["type _ @entity { id: ID! }", "_ needs a letter or digit to have a name in the database"],
  ["enum Side { A } type side @entity { id: ID! }", "side and Side would both be named side"],
  [
    `type _Schema_ @fulltext(name: "s", language: xx, algorithm: rank, include: [{ entity: "A", fields: [{ name: "t" }] }])
    type A @entity { id: ID!, t: String }`,
    "the full-text search s has the unsupported language xx; supported are simple, da,",
  ],
])("the store refuses a schema without a layout: %s", (schema, message) => {
  expect(() => layOut(readEntitySchema(schema), "sgd1")).toThrow(message);
});

function sorted<T extends readonly [string, ...unknown[]]>(list: readonly T[]): readonly T[] {
  return list.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

async function labels(database: Database, namespace: string, type: string): Promise<readonly unknown[]> {
  const rows = await database.query(
    SQL`select enumlabel from pg_enum e join pg_type t on t.oid = enumtypid join pg_namespace n on n.oid = typnamespace
      where nspname = $1::text and typname = $2::text order by enumsortorder`,
    [namespace, type],
  );
  return rows.map((row) => row.enumlabel);
}

async function facts(database: Database, namespace: string, table: string): Promise<TableFacts> {
  const of = [namespace, table];
  const columns = await database.query(
    SQL`select attname, replace(format_type(atttypid, atttypmod), $1::text || '.', '') as type, attnotnull
      from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
      where nspname = $1::text and relname = $2::text and attnum > 0 order by attnum`,
    of,
  );
  const constraints = await database.query(
    SQL`select conname, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = conrelid join pg_namespace n on n.oid = relnamespace
      where nspname = $1::text and relname = $2::text and contype <> 'n' order by conname`,
    of,
  );
  const indexes = await database.query(
    SQL`select indexname, indexdef as definition from pg_indexes
      where schemaname = $1::text and tablename = $2::text order by indexname`,
    of,
  );
  const shorter = (definition = ""): string =>
    definition.replace(
      /^CREATE( UNIQUE)? INDEX .*? ON .*? USING/,
      (_, unique: string | undefined) => `${unique ? "UNIQUE " : ""}USING`,
    );
  return {
    table,
    columns: columns.map(({ attname, type, attnotnull }) => [`${attname}`, `${type}`, attnotnull === "t"]),
    constraints: constraints.map(({ conname, definition }) => [`${conname}`, `${definition}`]),
    indexes: indexes.map(({ indexname, definition }) => [`${indexname}`, shorter(`${definition}`)]),
  };
}
