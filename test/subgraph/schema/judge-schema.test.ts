import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ApiSchema } from "../../../src/query/api/api-schema.js";
import { layOut } from "../../../src/store/tables/lay-out.js";
import { type EntitySchema, SchemaError } from "../../../src/subgraph/schema/entity-schema.js";
import { judgeSchema } from "../../../src/subgraph/schema/judge-schema.js";
import { parseSchema } from "../../../src/subgraph/schema/parse-schema.js";
import { readSchema } from "../../../src/subgraph/schema/read-schema.js";
import { schemaWarnings } from "../../../src/subgraph/schema/schema-warnings.js";

/** The answers of a graph-node 0.44 to deployed schemas. */
interface Recorded {
  readonly name: string;
  readonly schema: string;
  /** Its reason; absent when it accepted the schema. */
  readonly refused?: string;
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL("recorded-schemas.json", import.meta.url), "utf8"),
);
/** Reads a schema and judges it. */
function judged(text: string): EntitySchema {
  const schema = readSchema(text);
  judgeSchema(schema);
  return schema.entities;
}

const warningsOf = (text: string) => schemaWarnings({ document: parseSchema(text) });
const deploy = (schema: string): unknown => layOut(judged(schema), "sgd1");
const p = "type P @entity { id: ID! n: Int! x: X }\ntype X @entity { id: ID! z: Int }\n";

describe("a schema recorded with a graph-node", () => {
  const accepted = recorded.filter(({ refused }) => refused === undefined);
  const refused = recorded.filter((one) => one.refused !== undefined);

  test("is accepted or refused: both kinds exist", () => {
    expect([accepted.length, refused.length]).toEqual([21, 50]);
  });

  test.each(accepted)("is accepted, and queries can be answered: $name", ({ schema }) => {
    expect(deploy(schema)).toBeDefined();
    expect(new ApiSchema(schema).query.getFields()).toHaveProperty("_meta");
  });

  test.each(refused)("is refused: $name", ({ schema }) => {
    expect(() => deploy(schema)).toThrow(SchemaError);
  });
});

test.each([
  [
    "interface N { id: ID! n: BigInt! z: Int }\ntype A implements N @entity { id: ID! n: Int! }",
    "the type A does not satisfy the interface N: it needs n: BigInt!, z: Int (line 2 of the schema)",
  ],
  [
    "interface N { id: ID! }\ntype A implements N @entity { id: Bytes! }",
    "the type A does not satisfy the interface N: it needs id: ID! (line 2 of the schema)",
  ],
  [
    "interface N { n: Int }\ntype A implements N @entity { id: ID! n: Int }\ntype B implements N @entity { id: Bytes! n: Int }",
    "B and A implement N, but their ids are Bytes and String: they must have the same type (line 3 of the schema)",
  ],
  [
    `${p}type A @entity { id: ID!\n ps: [P!]! @derivedFrom(field: "n") }`,
    "A.ps is derived from P.n, which does not refer back: its type must be one of A, A!, [A!], [A!]! (line 4 of the schema)",
  ],
  [
    `interface N { id: ID! ps: [P!]! }\n${p}type A implements N @entity { id: ID! ps: [P!]! @derivedFrom(field: "x") }`,
    "its type must be one of A, A!, [A!], [A!]!, N, N!, [N!], [N!]! (line 4 of the schema)",
  ],
  ["type A @entity {\n id: ID!\n n: Int\n n: String }", "A.n is declared twice: remove one (line 4"],
  [
    "type A @entity {\n id: ID!\n _id: Int }",
    "A._id and A.id would both be stored as id: rename A._id (line 3",
  ],
  [
    "type A @entity {\n fooBar: Int\n id: ID!\n foo_bar: Int }",
    "both be stored as foo_bar: rename A.foo_bar (line 4",
  ],
  [
    "type A @entity {\n id: ID!\n vid: Int }",
    "A.vid would be stored as vid, a column of the store: rename A.vid (line 3 of the schema)",
  ],
  [
    "type A @entity(immutable: true) {\n id: ID!\n blockRange: Int }",
    "a column of the store: rename A.blockRange (line 3",
  ],
  [
    `${p}"of numbers"\nscalar BigInt`,
    "BigInt is the name of a type that every query schema has: rename it (line 4",
  ],
  [`${p}union Query = P | X`, "Query is the name of a type that every query schema has"],
  [`${p}union P_filter = P | X`, "P_filter is the name of a type that queries for P need"],
  [`${p}input Block_height { a: Int }`, "Block_height is the name of a type that every query schema has"],
  [`${p}input X { a: Int }`, "the input X has the name of another type: rename one of them"],
  [`${p}input I { a: Int }\ninput I { a: Int }`, "the input I has the name of another type"],
  ["type Subscription @entity { id: ID! }", "Subscription is the name of a type that every query schema has"],
  [
    `${p}type _Schema_ @import(types: ["A"])`,
    "_Schema_ may have only @fulltext directives, but has @import (line 3",
  ],
  [
    `${p}type _Schema_ { a: Int }`,
    "_Schema_ may have only @fulltext directives, but has the field a (line 3",
  ],
  [
    "type A @entity(skipDuplicates: true) { id: ID! }",
    "skipDuplicates on the type A requires immutable: true (line 1",
  ],
  [
    `${p}type B @entity { id: ID! n: [[[[[[[[[[[Int]]]]]]]]]]] }`,
    "B.n has more than 10 nested lists (line 3",
  ],
  [`${p}query { a }`, "the schema contains OperationDefinition, which belongs in a query"],
])("the check refuses a schema at its place: %s", (schema, message) => {
  expect(() => judged(schema)).toThrow(SchemaError);
  expect(() => judged(schema)).toThrow(message);
});

const search = (text: string): string =>
  `type A @entity { id: ID! tag: String! }\ntype _Schema_ ${text
    .split("|")
    .map((one) => `@fulltext(${one})`)
    .join(" ")}`;
const about = 'include: [{ entity: "A", fields: [{ name: "tag" }] }]';

test.each([
  ["tag", "the full text search tag has the name of a query field for A.tag: rename the search (line 2"],
  ["tags", "the full text search tags has the name of a query field for A.tag"],
  ["ids", "the full text search ids has the name of a query field for A.id"],
])("the check refuses a full text search named %s", (name, message) => {
  const schema = search(`name: "${name}", language: en, algorithm: rank, ${about}`);
  expect(() => judged(schema)).toThrow(message);
});

test("the check lets a full text search share the name of an entity list, like graph-node", () => {
  const schema = search(`name: "as", language: en, algorithm: rank, ${about}`);
  expect(judged(schema).fulltext).toHaveLength(1);
});

test.each([
  [
    `name: "s", language: en, algorithm: rank, ${about}|name: "s", language: en, algorithm: rank, ${about}`,
    "two",
  ],
  ['name: "s", language: en, algorithm: rank', "the full text search s includes no entity type"],
  ['name: "s", language: en, algorithm: rank, include: []', "the full text search s includes no entity type"],
  [
    `name: "s", language: "en", algorithm: rank, ${about}`,
    "the language of the full text search s must be a name",
  ],
  [
    `name: "s", language: en, algorithm: "rank", ${about}`,
    "the algorithm of the full text search s must be a name",
  ],
])("the check refuses the searches %s", (text, message) => {
  expect(() => judged(search(text))).toThrow(message);
});

test("the check lets an aggregate be wider than its source, but not narrower", () => {
  const schema = (own: string, of: string, fn = "sum"): string =>
    `type T @entity(timeseries: true) { id: Int8! timestamp: Timestamp! n: ${of} }
     type A @aggregation(intervals: ["hour"], source: "T") {
       id: Int8! timestamp: Timestamp! s: ${own} @aggregate(fn: "${fn}", arg: "n") }`;
  expect(judged(schema("BigDecimal!", "Int!")).aggregations).toHaveLength(1);
  expect(() => judged(schema("Int!", "BigDecimal!"))).toThrow(
    "A.s is Int!, but it is computed from T.n, which is the wider BigDecimal! (line 2 of the schema)",
  );
  expect(() => judged(schema("BigInt!", "Bytes!"))).toThrow(
    "A.s is computed from T.n, which is not a number",
  );
  expect(judged(schema("Bytes!", "Bytes!", "last")).aggregations).toHaveLength(1);
});

test("the check reports parts without effect, and parts that fail on a graph-node", () => {
  const warnings = warningsOf(`type P @entity { id: ID! z: [[Int!]!]! }
union U = P
scalar Date
input I { a: Int }
directive @hint(a: Int) on FIELD_DEFINITION
extend type P { more: Int }
schema { query: P }
interface N { id: ID! }
type P @entity { id: ID! }`);
  expect(warnings).toEqual([
    "the union U is ignored: queries cannot use it (line 2 of the schema)",
    "the scalar Date is ignored: queries cannot use it (line 3 of the schema)",
    "the input I has no effect: clients can see it, but no query takes it (line 4 of the schema)",
    "the directive @hint has no effect, although clients can see it (line 5 of the schema)",
    "the extension of P is ignored: its additions are neither stored nor queryable (line 6 of the schema)",
    "the schema definition is ignored: the query schema follows from the entity types (line 7 of the schema)",
    "the type P is defined twice: here the last definition counts, but a graph-node would never index the subgraph (line 9 of the schema)",
    "P.z is a list of lists: a handler that stores a non-empty one fails the subgraph, which then retries that block forever (line 1 of the schema)",
    "no type implements the interface N: its lists are empty here, but fail on a graph-node (line 8 of the schema)",
  ]);
  expect(warningsOf(p)).toEqual([]);
});
