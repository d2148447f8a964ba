import { findBreakingChanges, graphqlSync } from "graphql";
import { describe, expect, it } from "vitest";
import { EndpointFailure } from "../../../src/compare/endpoint-failure.js";
import { readEndpointSchema } from "../../../src/compare/endpoint-schema.js";
import { ApiSchema } from "../../../src/query/api/api-schema.js";
import { compareSchemas } from "../../../src/subgraph/changes/compare-schemas.js";
import { readPublicSchema } from "../../../src/subgraph/changes/read-public-schema.js";

const token = "type Token @entity { id: ID! name: String }";
const fields = [
  "amount: BigInt!",
  "amount: BigInt",
  "amount: Int!",
  "amount: [BigInt!]!",
  "amount: [BigInt!]",
  "amount: [BigInt]!",
  "amount: String!",
  "amount: ID!",
  "amount: Bytes!",
  "amount: Side!",
  "amount: Token!",
  "amount: Token",
  "amount: [Token!]!",
  'amount: [Trade!]! @derivedFrom(field: "pool")',
  "amount: [Trade!]!",
  'amount: Trade @derivedFrom(field: "pool")',
  "amount: Trade",
  "sum: BigInt!",
  "amount: BigInt! sum: BigInt!",
];
const trade = "type Trade @entity { id: ID! pool: Pool! }";
const pools = fields.map(
  (field) => `${token} ${trade} enum Side { BUY SELL } type Pool @entity { id: ID! ${field} }`,
);
const others = [
  `${token} ${trade} type Pool @entity { id: ID! amount: BigInt! }`,
  `${token} ${trade} enum Side { BUY } type Pool @entity { id: ID! amount: Side! }`,
  `${token} ${trade} enum Side { BUY SELL HOLD } type Pool @entity(immutable: true) { id: Bytes! amount: Side! }`,
  `interface Named { id: ID! name: String } ${token.replace("Token", "Token implements Named")} ${trade} type Pool @entity { id: ID! amount: Named }`,
  `interface Named { id: ID! name: String } ${token.replace("Token", "Token implements Named")} ${trade} type Pool @entity { id: ID! }`,
  `type _Schema_ @fulltext(name: "search", language: en, algorithm: rank, include: [{ entity: "Token", fields: [{ name: "name" }] }]) ${token} ${trade} type Pool @entity { id: ID! amount: BigInt! }`,
  `${token} ${trade} type Pool @entity(timeseries: true) { id: Int8! timestamp: Timestamp! amount: BigInt! }
   type Stats @aggregation(intervals: ["hour"], source: "Pool") { id: Int8! timestamp: Timestamp! total: BigInt! @aggregate(fn: "sum", arg: "amount") }`,
];
const schemas = [...pools, ...others].map((text) => ({
  text,
  shown: readPublicSchema(text),
  api: new ApiSchema(text).schema,
}));

describe("a breaking change", () => {
  it.each(
    schemas.map((schema, index) => [index, schema] as const),
  )("is what graphql-js finds between the query schemas, from %i to all others", (_, before) => {
    for (const after of schemas) {
      const changes = compareSchemas({ schema: before.shown }, { schema: after.shown });
      // The type of an `id` changes the values that filters accept. Other arguments follow from the fields.
      const breaking = findBreakingChanges(before.api, after.api);
      const told = changes.filter(({ isBreaking }) => isBreaking);
      const what = `${before.text}\n${after.text}\n${JSON.stringify(changes)}\n${JSON.stringify(breaking)}`;
      expect(told.length > 0, what).toBe(breaking.length > 0);
      if (before === after) expect(changes).toEqual([]);
      else expect(changes, what).not.toEqual([]);
    }
  });
});

describe("a schema introspected from an endpoint", () => {
  it.each(schemas)("is the schema of the subgraph: $text", async ({ api, shown }) => {
    const { schema } = await readEndpointSchema({
      name: "left",
      shown: "",
      identity: "",
      ask: async (query) => JSON.parse(JSON.stringify(graphqlSync({ schema: api, source: query }).data)),
      clean: (text) => text,
      failure: (reason) => new EndpointFailure(reason),
    });
    expect(compareSchemas({ schema }, { schema: shown })).toEqual([]);
    expect(compareSchemas({ schema: shown }, { schema })).toEqual([]);
  });
});
