import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  isSpecifiedScalarType,
  printSchema,
  validateSchema,
} from "graphql";
import { describe, expect, it } from "vitest";
import { introspectApi, printApiSchema } from "../../src/query/describe-api.js";
import { musicSchema } from "./music.js";
import { recordingEngine } from "./recording.js";

const schemas: Readonly<Record<string, string>> = {
  "entities, references, lists, enums and searches": musicSchema,
  "one entity": "type P @entity { id: ID! z: [[Int!]!]! }",
  "an interface": `interface Animal { id: Bytes! name: String! }
    type Cat implements Animal @entity(immutable: true) { id: Bytes! name: String! "of all lives" lives: Int! }`,
  "an interface without types": "interface Lonely { id: ID! } type P @entity { id: ID! }",
  "a plural that is the singular": "type Sheep @entity { id: ID! } type Fish @entity { id: ID! }",
  "an aggregation": `type Data @entity(timeseries: true) { id: Int8! timestamp: Timestamp! price: BigDecimal! }
    type Stats @aggregation(intervals: ["hour", "day"], source: "Data") {
      id: Int8! timestamp: Timestamp! total: BigDecimal! @aggregate(fn: "sum", arg: "price") }`,
};

describe.each(Object.entries(schemas))("the described API of %s", (_, text) => {
  it("equals the engine's answer to the introspection query", async () => {
    const { data, errors } = await recordingEngine(text).engine.execute({ query: getIntrospectionQuery() });
    expect(errors).toBeUndefined();
    expect(introspectApi(text)).toEqual(JSON.parse(JSON.stringify(data)));
  });

  it("is a valid document, which keeps every type", () => {
    const sdl = printApiSchema(text);
    const schema = buildSchema(sdl);
    expect(validateSchema(schema)).toEqual([]);
    expect(`${printSchema(schema)}\n`).toBe(sdl);
    const own = buildClientSchema(introspectApi(text));
    // A document cannot name a scalar of GraphQL's own that nothing uses, such as Float.
    const named = (one: GraphQLSchema): readonly string[] =>
      Object.values(one.getTypeMap())
        .filter((type) => !isSpecifiedScalarType(type))
        .map(({ name }) => name)
        .sort();
    expect(named(schema)).toEqual(named(own));
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(
      Object.keys(own.getQueryType()?.getFields() ?? {}),
    );
  });
});

describe("the described API of an aggregation", () => {
  const { __schema: api } = introspectApi(`type Pool @entity { id: Int8! }
    type Data @entity(timeseries: true) { id: Int8! timestamp: Timestamp! pool: Pool! price: BigDecimal! }
    type Stats @aggregation(intervals: ["hour"], source: "Data") {
      id: Int8! timestamp: Timestamp! pool: Pool! total: BigDecimal! @aggregate(fn: "sum", arg: "price") }`);

  it("compares references whose ids are numbers, as graph-node does", () => {
    const filter = api.types.find(({ name }) => name === "Stats_filter");
    const keys = filter?.kind === "INPUT_OBJECT" ? filter.inputFields.map(({ name }) => name) : [];
    expect(keys.filter((key) => key.startsWith("pool")).join(" ")).toBe(
      "pool pool_gt pool_lt pool_gte pool_lte pool_in pool_",
    );
  });

  it("describes the list of its values in graph-node's words", () => {
    const query = api.types.find(({ name }) => name === "Query");
    const fields = query?.kind === "OBJECT" ? query.fields : [];
    expect(fields.find(({ name }) => name === "stats_collection")?.description).toBe(
      "Collection of aggregated `Stats` values",
    );
  });
});
