import { beforeAll, describe, expect, test } from "vitest";
import type { ApiSchema } from "../../src/query/api/api-schema.js";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import { SQL } from "../../src/store/database/database.js";
import { createTables } from "../../src/store/tables/create-tables.js";
import { layOut } from "../../src/store/tables/lay-out.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases, world } from "../support/database/databases.js";

const scalars = [
  "ID",
  "String",
  "Bytes",
  "BigInt",
  "BigDecimal",
  "Int",
  "Int8",
  "Timestamp",
  "Boolean",
  "Kind",
];
const ids = ["ID", "String", "Bytes", "Int8"];

/** Fields of every kind: scalars, references by every kind of id, and lists of both. */
const fields = [
  ...scalars.flatMap((name) => [`one${name}: ${name}!`, `maybe${name}: ${name}`, `list${name}: [${name}!]`]),
  ...ids.flatMap((name) => [`ref${name}: Of${name}`, `refs${name}: [Of${name}!]`]),
  "self: All",
  "any: Any",
  "anys: [Any!]!",
].join("\n");

const schema = `
  type _Schema_ @fulltext(name: "search", language: en, algorithm: proximityRank,
    include: [{ entity: "All", fields: [{ name: "oneString" }] }])
  enum Kind { A B }
  interface Any { id: Bytes! name: String all: [All!]! @derivedFrom(field: "anys") by: All @derivedFrom(field: "any") }
  ${["OfBytes", "AlsoBytes"]
    .map(
      (name) => `type ${name} implements Any @entity${name === "OfBytes" ? "" : "(immutable: true)"} {
        id: Bytes! name: String all: [All!]! @derivedFrom(field: "anys") by: All @derivedFrom(field: "any") }`,
    )
    .join("\n")}
  ${["ID", "String", "Int8"].map((name) => `type Of${name} @entity { id: ${name}! alls: [All!]! @derivedFrom(field: "refs${name}") all: [All!]! @derivedFrom(field: "ref${name}") twin: All @derivedFrom(field: "ref${name}") }`).join("\n")}
  type All @entity { id: ID! ${fields} same: OfString @derivedFrom(field: "id") stats: [Stat!]! @derivedFrom(field: "all") }
  type Fixed @entity(immutable: true) { id: Int8! ${fields} }
  type Point @entity(timeseries: true) { id: Int8! timestamp: Timestamp! all: All! kind: Kind x: BigInt! }
  type Stat @aggregation(intervals: ["hour", "day"], source: "Point") {
    id: Int8! timestamp: Timestamp! all: All! kind: Kind
    last: BigInt! @aggregate(fn: "last", arg: "x") total: BigInt! @aggregate(fn: "sum", arg: "x", cumulative: true)
  }
`;

/** Queries that graph-node refuses as well. */
const refused =
  /^(?:Ordering by `\w+` is not supported for type `\w+`|Failed to get entities from store: (?:SortKey::ChildKey cannot be used for parent ordering \(yet\)|operator does not exist: bytea !?~~\*? text)|Store error: unsupported filter `(?:not_)?contains_nocase` for value `12`)$/;

const samples: Readonly<Record<string, string>> = {
  Int: "1",
  Boolean: "true",
  Kind: "A",
  BlockChangedFilter: "{ number_gte: 1 }",
};

function sample(type: string): string {
  const list = /^\[(\w+)!?\]$/.exec(type)?.[1];
  if (list !== undefined) return `[${sample(list)}]`;
  return samples[type] ?? (type.endsWith("_filter") ? "{}" : '"12"');
}

function selection(api: ApiSchema, type: string, depth: number): string {
  return [...api.type(type).fields.values()]
    .map(({ name, kind, base, list }) => {
      if (kind !== "reference") return name;
      if (depth === 0) return "";
      const args = list && api.type(base).aggregation ? "(interval: hour, current: include)" : "";
      return `${name}${args} { __typename ${selection(api, base, depth - 1)} }`;
    })
    .join(" ");
}

describeDatabases("every key of the API is a statement that runs", ({ fresh }) => {
  let engine: QueryEngine;

  beforeAll(async () => {
    const database = await fresh();
    const layout = layOut(readEntitySchema(schema), "sgd1");
    await database.run(SQL`create extension if not exists btree_gist`);
    await database.run(createTables(layout));
    const state = async () => ({ head: { number: 10, hash: "0x10" }, earliestBlock: 0 });
    const deployment = { id: "QmAll", schema, layout, state, blockOfHash: async () => undefined };
    engine = createQueryEngine({ database, deployment, world });
  });

  const failures = async (queries: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const query of queries) {
      const { errors = [] } = await engine.execute({ query });
      const [error] = errors.filter(({ message }) => !refused.test(message));
      if (error) found.push(`${query}: ${error.message}`);
    }
    return found;
  };
  const roots = () => [...engine.api.root.values()].filter(({ kind }) => kind === "many");
  const interval = (type: string) =>
    engine.api.type(type).aggregation ? "interval: day, current: include, " : "";

  describe("of", () => {
    test("every filter runs", async () => {
      const queries = roots().flatMap(({ name, type }) =>
        [...engine.api.filtersOf(engine.api.type(type)).values()].map(
          (one) => `{ ${name}(${interval(type)} where: { ${one.key}: ${sample(one.type)} }) { id } }`,
        ),
      );
      expect(queries.length).toBeGreaterThan(500);
      expect(await failures(queries)).toEqual([]);
    });

    test("every order runs", async () => {
      const queries = roots().flatMap(({ name, type }) =>
        [...engine.api.ordersOf(engine.api.type(type)).keys()].map(
          (key) => `{ ${name}(${interval(type)} orderBy: ${key}, orderDirection: desc) { id } }`,
        ),
      );
      expect(queries.length).toBeGreaterThan(100);
      expect(await failures(queries)).toEqual([]);
    });

    test("every field and its child filters run", async () => {
      const { api } = engine;
      const queries = [...api.root.values()].map(({ name, kind, type }) => {
        const args = {
          one: '(id: "12")',
          fulltext: '(text: "a")',
          many: interval(type) && `(${interval(type)})`,
        };
        return `{ ${name}${args[kind]} { ${selection(api, type, 1)} } }`;
      });
      expect(await failures(queries)).toEqual([]);
    });
  });
});
