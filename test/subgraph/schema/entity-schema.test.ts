import { describe, expect, test } from "vitest";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";

const schema = readEntitySchema(`
  enum Side { BUY SELL }
  interface Account { id: Bytes!, trades: [Trade!]! }
  "A token."
  type Token implements Account @entity {
    id: Bytes!
    trades: [Trade!]! @derivedFrom(field: "token")
    decimals: Int
  }
  type Wallet implements Account @entity(immutable: false) {
    id: Bytes!
    trades: [Trade!]! @derivedFrom(field: "wallet")
  }
  type Trade @entity(immutable: true, skipDuplicates: true) {
    id: ID!
    token: Token!
    wallet: Account
    side: Side!
    route: [Token!]!
    price: BigDecimal!
    amount: BigInt!
    sequence: Int8!
    at: Timestamp!
    open: Boolean!
    memo: [String!]
    previous: Trade
  }
  type Tick @entity(timeseries: true) { id: Int8!, timestamp: Timestamp!, price: BigDecimal! }
  type _Schema_ @fulltext(name: "search", language: en, algorithm: rank, include: [])
`);

const ticks = "type Tick @entity(timeseries: true) { id: Int8!, timestamp: Timestamp! }";
const candle = (fields: string): string =>
  `${ticks} type A @aggregation(intervals: ["day"], source: "Tick") { ${fields} }`;
const searched = "type A @entity { id: ID!, n: Int } type _Schema_";

describe("the types of a schema", () => {
  test("are the types with @entity", () => {
    expect([...schema.types.keys()]).toEqual(["Token", "Wallet", "Trade", "Tick"]);
    expect([...schema.implementers]).toEqual([["Account", ["Token", "Wallet"]]]);
  });

  test.each([
    [
      "Token",
      { immutable: false, skipDuplicates: false, timeseries: false, idKind: "Bytes", rivals: ["Wallet"] },
    ],
    ["Wallet", { immutable: false, idKind: "Bytes", rivals: ["Token"] }],
    ["Trade", { immutable: true, skipDuplicates: true, timeseries: false, idKind: "String", rivals: [] }],
    ["Tick", { immutable: true, timeseries: true, idKind: "Int8" }],
  ])("follow the directive of %s", (name, expected) => {
    expect(schema.types.get(name)).toMatchObject(expected);
  });

  test.each([
    ["Trade", "id", { kind: "String", list: false, nonNull: true, text: "ID!" }],
    ["Trade", "token", { kind: "Bytes", scalar: "Bytes", target: "Token", nonNull: true }],
    ["Trade", "wallet", { kind: "Bytes", target: "Account", nonNull: false }],
    ["Trade", "side", { kind: "String", scalar: "Side", allowed: new Set(["BUY", "SELL"]) }],
    ["Trade", "route", { kind: "Bytes", list: true, nonNull: true, target: "Token", text: "[Token!]!" }],
    ["Trade", "price", { kind: "BigDecimal" }],
    ["Trade", "amount", { kind: "BigInt" }],
    ["Trade", "sequence", { kind: "Int8" }],
    ["Trade", "at", { kind: "Timestamp" }],
    ["Trade", "open", { kind: "Bool" }],
    ["Trade", "memo", { kind: "String", list: true, nonNull: false }],
    ["Trade", "previous", { kind: "String", scalar: "ID", target: "Trade" }],
    ["Token", "decimals", { kind: "Int", nonNull: false }],
    ["Token", "trades", { kind: "String", list: true, derivedFrom: "token", target: "Trade" }],
  ])("include %s.%s", (type, field, expected) => {
    expect(schema.types.get(type)?.fields.get(field)).toMatchObject(expected);
  });

  test("store the fields that are not derived, sorted", () => {
    const names = (fields: readonly { readonly name: string }[] = []) => fields.map(({ name }) => name);
    expect(names(schema.types.get("Token")?.stored)).toEqual(["decimals", "id"]);
    expect(names(schema.types.get("Token")?.required)).toEqual(["id"]);
  });
});

test("the parser reads the enums, aggregations and searches of a schema", () => {
  const { enums, aggregations, fulltext } = readEntitySchema(`
    enum Side { SELL BUY }
    type Tick @entity(timeseries: true) { id: Int8!, timestamp: Timestamp!, token: Token!, price: BigDecimal! }
    type Token @entity { id: Bytes!, name: String!, symbol: String }
    type Candle @aggregation(intervals: ["day", "hour"], source: "Tick") {
      id: Int8!
      timestamp: Timestamp!
      token: Token!
      high: BigDecimal! @aggregate(fn: "max", arg: "price")
      count: Int! @aggregate(fn: "count", cumulative: true)
    }
    type _Schema_ @fulltext(
      name: "tokenSearch", language: en, algorithm: proximityRank
      include: [{ entity: "Token", fields: [{ name: "symbol" }, { name: "name" }] }]
    )
  `);
  expect([...enums]).toEqual([["Side", ["SELL", "BUY"]]]);
  const [candle] = aggregations;
  expect(candle).toMatchObject({ name: "Candle", source: "Tick", intervals: ["hour", "day"] });
  expect([...(candle?.fields.values() ?? [])].map(({ name, aggregate }) => [name, aggregate])).toEqual([
    ["id", undefined],
    ["timestamp", undefined],
    ["token", undefined],
    ["high", { fn: "max", arg: "price", cumulative: false }],
    ["count", { fn: "count", cumulative: true }],
  ]);
  expect(fulltext).toEqual([
    {
      name: "tokenSearch",
      language: "en",
      algorithm: "proximityRank",
      include: new Map([["Token", ["symbol", "name"]]]),
    },
  ]);
});

test("the parser ignores unions, scalars, inputs, directives and extensions", () => {
  const { types, enums } = readEntitySchema(`
    union U = A scalar S input I { a: S } directive @d(a: I) on OBJECT extend type A { n: Int } schema { query: A }
    type A @entity @d { id: ID! }
  `);
  expect([...(types.get("A")?.fields.keys() ?? [])]).toEqual(["id"]);
  expect([types.size, enums.size]).toEqual([1, 0]);
});

test("the parser stores a list of lists as a list", () => {
  const { types } = readEntitySchema("type A @entity { id: ID!, b: [[Int!]!]! }");
  expect(types.get("A")?.fields.get("b")).toMatchObject({ kind: "Int", list: true, text: "[[Int!]!]!" });
});

test.each([
  ["type A @entity { id: ID!", "the schema is not GraphQL"],
  ["type A { id: ID! }", "the type A has no @entity directive"],
  ["type A @entity { name: String }", "the type A has no field id"],
  ["type A @entity { id: BigInt! }", "A.id has the type BigInt; it must be ID, String, Bytes or Int8"],
  ["type A @entity { id: [ID!]! }", "A.id has the type [ID!]"],
  ["type A @entity { id: ID!, b: B }", "A.b has the type B, which is not defined"],
  ["type A @entity { id: ID!, b: Float }", "A.b has the type Float, which is not defined"],
  ["union U = A type A @entity { id: ID!, u: U }", "A.u has the type U, which is not defined (line 1"],
  ["scalar S type A @entity { id: ID!, s: S }", "A.s has the type S, which is not defined (line 1"],
  [
    'type A @aggregation(intervals: ["hour"], source: "B") { id: Int8! }',
    "the aggregation A needs a timeseries as its source",
  ],
  [
    `${ticks} type A @aggregation(intervals: ["week"], source: "Tick") { id: Int8! }`,
    'the intervals of the aggregation A can only be "hour" and "day"',
  ],
  [
    `${ticks} type A @aggregation(intervals: [], source: "Tick") { id: Int8! }`,
    'the intervals of the aggregation A can only be "hour" and "day"',
  ],
  [
    `${ticks} type A @aggregation(intervals: ["day"], source: "Tick") { id: Int8!, n: Int! @aggregate(fn: "avg") }`,
    "the function of A.n must be one of sum, max, min, count, first, last",
  ],
  [
    `${ticks} type A @aggregation(intervals: ["day"], source: "Tick") { id: Int8!, n: Int! @aggregate(fn: "sum") }`,
    "A.n needs arg, the value to compute sum of",
  ],
  [candle("timestamp: Timestamp!"), "the type A has no field id"],
  [candle("id: Int8!"), "the aggregation A needs a field timestamp"],
  [candle("id: Int8!, timestamp: Timestamp!"), "the aggregation A needs a field with @aggregate"],
  [
    candle("id: Int8!, timestamp: Timestamp!, pool: Bytes!"),
    "A.pool is Bytes!, but its source Tick has no such field",
  ],
  [candle("id: Bytes!, timestamp: Timestamp!"), "A.id is Bytes!, but its source Tick has Int8!"],
  [
    candle('id: Int8!, timestamp: Timestamp!, n: Int! @aggregate(fn: "sum", arg: "price")'),
    'the expression of A.n refers to "price", which is not a field of the source',
  ],
  [
    candle('id: Int8!, timestamp: Timestamp!, n: [Int!]! @aggregate(fn: "last", arg: "id")'),
    "A.n is a list, but an aggregate cannot be a list",
  ],
  [
    candle('id: Int8!, timestamp: Timestamp!, n: String! @aggregate(fn: "max", arg: "id")'),
    "A.n is String!, but max returns one of Int, Int8, BigInt, BigDecimal",
  ],
  [`${searched} @fulltext(language: en, algorithm: rank, include: [])`, "a full text search has no name"],
  [`${searched} @fulltext(name: "s", algorithm: rank, include: [])`, "search s has no language"],
  [
    `${searched} @fulltext(name: "s", language: en, algorithm: best, include: [])`,
    "the algorithm of the full text search s must be rank or proximityRank",
  ],
  [
    `${searched} @fulltext(name: "s", language: en, algorithm: rank, include: [{ entity: "B", fields: [] }])`,
    "the full text search s includes B, which is not an entity type",
  ],
  [
    `${searched} @fulltext(name: "s", language: en, algorithm: rank, include: [{ entity: "A", fields: [{ name: "n" }] }])`,
    "the full text search s includes A.n, which is not a string",
  ],
  ["type A implements I @entity { id: ID! }", "the type A implements I, which is not defined"],
  ["type A @entity(immutable: 1) { id: ID! }", "@entity(immutable: …) on the type A must be true or false"],
  [
    "type A @entity(timeseries: true) { id: ID! }",
    "the timeseries A needs `id: Int8!` and `timestamp: Timestamp!`",
  ],
  [
    "type A @entity(timeseries: true, immutable: false) { id: Int8!, timestamp: Timestamp! }",
    "the timeseries A cannot be mutable",
  ],
  [
    'type A @entity { id: ID!, b: [B!]! @derivedFrom(field: "a") } type B @entity { id: ID! }',
    "A.b is derived from B.a, which is not a stored field",
  ],
  [
    "type A @entity { id: ID!, b: [B!]! @derivedFrom } type B @entity { id: ID! }",
    "@derivedFrom on A.b does not name a field",
  ],
])("the parser refuses the schema %s", (text, message) => {
  expect(() => readEntitySchema(text)).toThrow(message);
});
