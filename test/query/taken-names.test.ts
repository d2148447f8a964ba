import { buildASTSchema, Kind, parse, validateSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { builtinTypes } from "../../src/query/api/builtin-types.js";
import { printApi } from "../../src/query/api/print-api.js";
import { readModel } from "../../src/query/api/read-model.js";
import { rootFields } from "../../src/query/api/root-fields.js";
import { SchemaError } from "../../src/subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";

const builtin = parse(builtinTypes).definitions.flatMap((node) =>
  "name" in node && node.name?.kind === Kind.NAME ? [node.name.value] : [],
);
const others = [
  "Boolean",
  "ID",
  "Int",
  "String",
  "Query",
  "Subscription",
  "Ping_filter",
  "Ping_orderBy",
  "__Ping",
];

/** Makes a schema with a definition of the given name next to an entity. */
const schemas: Readonly<Record<string, (name: string) => string>> = {
  type: (name) => `type ${name} @entity { id: ID! }`,
  enum: (name) => `enum ${name} { a }`,
  interface: (name) => `interface ${name} { id: ID! } type Pong implements ${name} @entity { id: ID! }`,
  aggregation: (name) =>
    `type Data @entity(timeseries: true) { id: Int8! timestamp: Timestamp! n: Int! }
     type ${name} @aggregation(intervals: ["hour"], source: "Data") { id: Int8! timestamp: Timestamp! n: Int! @aggregate(fn: "sum", arg: "n") }`,
};
const isObject = (kind: string): boolean => kind === "type" || kind === "aggregation";
const withPing = (text: string): string => `type Ping @entity { id: ID! }\n${text}`;

describe.each(Object.entries(schemas))("%s", (kind, make) => {
  it.each([
    ...builtin,
    ...others,
    ...(isObject(kind) ? [] : ["Mutation", "_Schema_"]),
  ])("refuses the name %s", (name) => {
    const read = (): unknown => readEntitySchema(withPing(make(name)));
    expect(read).toThrow(SchemaError);
    expect(read).toThrow(new RegExp(`^${name} (is the name of a type that|starts with "__")`));
  });

  it.each([
    ...(isObject(kind) ? ["Mutation"] : []),
    "Meta",
    "Direction",
    "Pings",
    "Ping_filters",
    "_Ping",
  ])("accepts the name %s", (name) => {
    const text = withPing(make(name));
    expect(() => readEntitySchema(text)).not.toThrow();
    const model = readModel(text);
    const schema = buildASTSchema(parse(printApi(model, rootFields(model))));
    expect(validateSchema(schema)).toEqual([]);
  });
});
