import { beforeAll, describe, expect, test } from "vitest";
import { catalogDeployment } from "../../src/query/catalog-deployment.js";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import type { QueryLimits } from "../../src/query/limits.js";
import type { WritableStore } from "../../src/runtime/store/store.js";
import { type Database, DatabaseError, SQL } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { openStore } from "../../src/store/entities/open-store.js";
import type { Layout } from "../../src/store/tables/layout.js";
import type { EntityChange } from "../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases, world } from "../support/database/databases.js";
import { fillMusic, musicDeployment } from "./music.js";

describeDatabases("queries", ({ fresh }) => {
  let database: Database;
  let layout: Layout;
  const engineWith = (limits: Partial<QueryLimits> = {}): QueryEngine =>
    createQueryEngine({ database, deployment: musicDeployment(layout), world, limits });

  beforeAll(async () => {
    database = await fresh();
    layout = await fillMusic(database);
  });

  test("the engine accepts any response key", async () => {
    const query = "{ __proto__: bands(first: 1) { __proto__: id constructor: name toString: __typename } }";
    const { data } = await engineWith().execute({ query });
    expect(JSON.stringify(data)).toBe(
      '{"__proto__":[{"__proto__":"b1","constructor":"The Musicians","toString":"Band"}]}',
    );
  });

  test("the engine selects more fields than a database function can have arguments", async () => {
    const count = 15_000;
    const fields = Array.from({ length: count }, (_, index) => `a${index}: ${index % 2 ? "name" : "id"}`);
    const { data } = await engineWith().execute({ query: `{ bands(first: 1) { ${fields.join(" ")} } }` });
    const [band] = JSON.parse(JSON.stringify(data)).bands;
    expect(Object.keys(band)).toHaveLength(count);
    expect([band.a0, band.a1, band.a98, band.a9900, band[`a${count - 1}`]]).toEqual([
      "b1",
      "The Musicians",
      "b1",
      "b1",
      "The Musicians",
    ]);
  });

  test("an error at one block leaves the data of other blocks intact", async () => {
    const query =
      '{ a: bands(first: 1) { id } b: musicians(where: { name_starts_with: "\\\\" }, block: { number: 12 }) { id } c: bands(skip: 2, where: { name: "\\u0000" }, block: { number: 14 }) { id } d: bands(skip: 2) { id } }';
    const { data, errors = [] } = await engineWith().execute({ query });
    expect(data).toEqual({ a: [{ id: "b1" }], b: [], d: [{ id: "b3" }] });
    expect(errors.map(({ message }) => message)).toEqual([
      'Failed to get entities from store: invalid byte sequence for encoding "UTF8": 0x00',
    ]);
  });

  test("the engine stops a query whose answer is too large", async () => {
    const few = "{ bands { id name } }";
    const many = "{ musicians(first: 1000) { bands(first: 1000) { members { id name } } } }";
    const limit = "is larger than the allowed limit of";
    for (const [query, resultBytes, message] of [
      [few, 20, `the result size of 26 ${limit} 20`],
      [many, 100, `the result size of more than 100 ${limit} 100`],
    ] as const) {
      const { data, errors = [], attestable } = await engineWith({ resultBytes }).execute({ query });
      expect([data, attestable]).toEqual([undefined, false]);
      expect(errors[0]?.message).toBe(message);
    }
    expect((await engineWith().execute({ query: many })).errors).toBeUndefined();
  });

  test("the engine accepts the same query depth as graph-node", async () => {
    const [fragments, pairs] = [6, 20];
    const definitions = Array.from({ length: fragments }, (_, index) => {
      const inside = index + 1 < fragments ? `...F${index + 1}` : "id";
      return `fragment F${index} on Band { ${"leader { mainBand { ".repeat(pairs)} ${inside} ${"} }".repeat(pairs)} }`;
    });
    const { data, errors } = await engineWith().execute({
      query: `{ band(id: "b1") { ...F0 } } ${definitions.join(" ")}`,
    });
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data).match(/leader/g)).toHaveLength(fragments * pairs);
  });

  test.each([
    ["musicians", ""],
    ["reviews", ""],
    ["releases", ""],
    ["plays", ""],
    ["playStats_collection", "interval: hour, current: include, "],
  ])("the engine pages of %s add up to the whole list in every order", async (name, args) => {
    const engine = engineWith();
    const ids = async (rest: string): Promise<readonly string[] | undefined> => {
      const { data, errors } = await engine.execute({ query: `{ ${name}(${args}${rest}) { id } }` });
      if (errors) return undefined;
      const rows: readonly { readonly id: string }[] = JSON.parse(JSON.stringify(data))[name];
      return rows.map(({ id }) => id);
    };
    const { api } = engine;
    const keys = [...api.ordersOf(api.type(api.root.get(name)?.type ?? "")).keys()];
    let orders = 0;
    for (const order of keys.flatMap((key) =>
      ["asc", "desc"].map((way) => `orderBy: ${key}, orderDirection: ${way}`),
    )) {
      const all = await ids(order);
      if (!all) continue;
      orders += 1;
      const pages = [];
      for (let skip = 0; skip < all.length; skip += 2)
        pages.push(await ids(`${order}, first: 2, skip: ${skip}`));
      expect(pages.flat(), order).toEqual(all);
    }
    expect(orders).toBeGreaterThan(7);
  });

  test("the engine turns off the database's JIT, which would cost more than the queries", async () => {
    const [row] = await database.query(SQL`select pg_jit_available() as jit`);
    expect(row?.jit).toBe("f");
  });

  test("the engine throws if the database is unreachable", async () => {
    const gone = Object.assign(Object.create(database), {
      transaction: async () => {
        throw new DatabaseError("the server cannot be reached");
      },
    });
    const engine = createQueryEngine({ database: gone, deployment: musicDeployment(layout), world });
    await expect(engine.execute({ query: "{ bands { id } }" })).rejects.toThrow("cannot be reached");
  });
});

describeDatabases("queries that take too long", ({ fresh }) => {
  test("the engine stops a query that takes too long, and reports it", async () => {
    // A separate database, because stopping the statement ends a database in memory.
    const database = await fresh();
    const deployment = musicDeployment(await fillMusic(database));
    const limits = { statementTimeout: 1_000 };
    const engine = createQueryEngine({ database, deployment, world, limits });
    // More than 2^64 possible entities would be refused.
    const deep = "bands(first: 9) { members(first: 9) { ".repeat(9);
    const { data, errors } = await engine.execute({
      query: `{ bands(first: 1) { id } musicians(first: 9) { ${deep} id ${"} }".repeat(9)} } }`,
    });
    expect([data, errors]).toEqual([undefined, [{ message: "Query timed out" }]]);
  });
});

describeDatabases("a deployment of the catalog", ({ fresh }) => {
  const schema = "type Token @entity { id: Bytes! name: String }";
  let engine: QueryEngine;
  let store: WritableStore;

  const set = (name: string): EntityChange => ({
    kind: "set",
    type: "Token",
    id: "0x01",
    entity: new Map([
      ["id", { kind: "Bytes", value: "0x01" }],
      ["name", { kind: "String", value: name }],
    ]),
  });
  const hash = (number: number): string => `0x${String(number).padStart(64, "0")}`;

  beforeAll(async () => {
    const database = await fresh();
    await migrate(database);
    const wanted = { deployment: "QmTokens", network: "mainnet", schema, startBlock: 5 };
    const opened = await openDeployment(database, wanted);
    engine = createQueryEngine({ database, deployment: catalogDeployment(opened, layoutOf(opened)), world });
    const before = await engine.execute({ query: "{ tokens { id } }" });
    expect(before.errors?.[0]?.message).toContain("Subgraph `QmTokens` has not started syncing yet");
    const built = { entities: readEntitySchema(schema), dataSources: [1], templates: [] };
    store = openStore(database, opened, built);
    for (const number of [6, 7]) await commit(number);
  });

  const commit = async (number: number): Promise<void> => {
    const writes = { changes: [set(`of ${number}`)], dataSources: [] };
    const block = {
      number,
      hash: hash(number),
      parentHash: hash(number - 1),
      timestamp: BigInt(number * 12),
    };
    await store.commit(block, writes, { more: false });
    await store.flush?.();
  };

  test.each([
    ["tokens { name }", { tokens: [{ name: "of 7" }] }],
    ["tokens(block: { number: 6 }) { name }", { tokens: [{ name: "of 6" }] }],
    ["tokens(block: { number: 4 }) { name }", { tokens: [] }],
    [`tokens(block: { hash: "${hash(6)}" }) { name }`, { tokens: [{ name: "of 6" }] }],
    [
      `_meta(block: { hash: "${hash(6)}" }) { block { number parentHash timestamp } }`,
      { _meta: { block: { number: 6, parentHash: hash(5), timestamp: 72 } } },
    ],
    [
      "_meta { deployment hasIndexingErrors block { number hash parentHash timestamp } }",
      {
        _meta: {
          deployment: "QmTokens",
          hasIndexingErrors: false,
          block: { number: 7, hash: hash(7), parentHash: hash(6), timestamp: 84 },
        },
      },
    ],
  ])("the engine answers with the stored values: %s", async (query, data) => {
    expect(await engine.execute({ query: `{ ${query} }` })).toEqual({
      data,
      attestable: true,
      head: { number: 7, hash: hash(7), parentHash: hash(6), timestamp: 84 },
    });
  });

  describe("knows", () => {
    test.each([
      ["{ number: 8 }", "has only indexed up to block number 7 and data for block number 8"],
      ["{ number: 3 }", "only has data starting at block number 4 and data for block number 3"],
      [`{ hash: "${hash(8)}" }`, "no block with that hash found"],
      ['{ hash: "0x0" }', 'Invalid value provided for argument `block`: Object({"hash": String("0x0")})'],
      ['{ hash: "zz" }', 'Invalid value provided for argument `block`: Object({"hash": String("zz")})'],
    ])("refuses the unknown block %s", async (block, message) => {
      const { errors } = await engine.execute({ query: `{ tokens(block: ${block}) { id } }` });
      expect(errors?.[0]?.message).toContain(message);
    });
  });

  test("the engine answers at the current head, even after the head has moved", async () => {
    const refused = '{ tokens(where: { name: "\\u0000" }) { name } }';
    const isAt = async (number: number): Promise<void> => {
      const { data, head } = await engine.execute({
        query: "{ tokens { name } _meta { block { number } } }",
      });
      expect(data).toEqual({ tokens: [{ name: `of ${number}` }], _meta: { block: { number } } });
      expect(head?.number).toBe(number);
    };
    const isRefused = async (): Promise<void> => {
      const { errors = [] } = await engine.execute({ query: refused });
      expect(errors.map(({ message }) => message)).toEqual([
        'Failed to get entities from store: invalid byte sequence for encoding "UTF8": 0x00',
      ]);
    };
    for (const first of [isAt, isRefused, isAt, isRefused]) {
      const number = ((await store.head())?.number ?? 0) + 1;
      await commit(number);
      await first(number);
      for (let count = 0; count < 3; count++) await isAt(number);
      await isRefused();
    }
    await store.revert({ number: 8, hash: hash(8) });
    await isAt(8);
  });
});
