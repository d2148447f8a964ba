import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printType } from "graphql";
import { describe, expect, test } from "vitest";
import { present } from "../../src/base/invariant.js";
import { ApiSchema } from "../../src/query/api/api-schema.js";
import { introspectApi } from "../../src/query/describe-api.js";
import { musicSchema } from "./music.js";
import { recordingEngine } from "./recording.js";

const shows = `
  type Ticket @entity { id: Int8! seat: String! show: Show }
  type Show @entity { id: Bytes! tickets: [Ticket!]! @derivedFrom(field: "show") }
`;

function namesOf(schema: string, type: string): readonly string[] {
  const found = new ApiSchema(schema).schema.getType(type);
  if (!found) throw new Error(`there is no ${type}`);
  if ("getFields" in found) return Object.keys(found.getFields());
  return "getValues" in found ? found.getValues().map(({ name }) => name) : [];
}

describe("the API schema", () => {
  test("has the types of entities, with arguments on list fields", () => {
    const { schema } = new ApiSchema(shows);
    expect(printType(present(schema.getType("Show"), "there is a show"))).toBe(
      "type Show {\n  id: Bytes!\n  tickets(skip: Int = 0, first: Int = 100, orderBy: Ticket_orderBy, " +
        "orderDirection: OrderDirection, where: Ticket_filter): [Ticket!]!\n}",
    );
    expect(namesOf(shows, "Ticket_orderBy")).toEqual(["id", "seat", "show", "show__id"]);
    expect(namesOf(shows, "Show_orderBy")).toEqual(["id", "tickets"]);
  });

  test.each([
    ["ids of 8 bytes", "Ticket", "id", "id id_not id_gt id_lt id_gte id_lte id_in id_not_in"],
    ["derived lists", "Show", "tickets", "tickets_"],
    ["booleans", "Musician", "active", "active active_not active_in active_not_in"],
    ["enums", "Musician", "genre", "genre genre_not genre_in genre_not_in"],
    [
      "bytes",
      "Musician",
      "wallet",
      "wallet wallet_not wallet_gt wallet_lt wallet_gte wallet_lte wallet_in wallet_not_in wallet_contains wallet_not_contains",
    ],
    [
      "lists of strings",
      "Musician",
      "tags",
      "tags tags_not tags_contains tags_contains_nocase tags_not_contains tags_not_contains_nocase",
    ],
    ["lists of numbers", "Musician", "lucky", "lucky lucky_not lucky_contains lucky_not_contains"],
    [
      "lists of references",
      "Musician",
      "bands",
      "bands bands_not bands_contains bands_contains_nocase bands_not_contains bands_not_contains_nocase bands_",
    ],
    [
      "lists of references by bytes",
      "Album",
      "songs",
      "songs songs_not songs_contains songs_not_contains songs_",
    ],
    [
      "references by 8 bytes",
      "Concert",
      "headTicket",
      "headTicket headTicket_not headTicket_gt headTicket_lt headTicket_gte headTicket_lte headTicket_in headTicket_not_in headTicket_",
    ],
  ])("offers graph-node's filters on %s", (_, type, field, keys) => {
    const all = namesOf(type === "Ticket" || type === "Show" ? shows : musicSchema, `${type}_filter`);
    expect(all.filter((key) => key === field || key.startsWith(`${field}_`)).join(" ")).toBe(keys);
    expect(all.slice(-3)).toEqual(["_change_block", "and", "or"]);
  });

  test("names its root fields in graph-node's order", () => {
    expect([...new ApiSchema(musicSchema).root.keys()].join(" ")).toBe(
      "musician musicians band bands song songs album albums single singles review reviews concert concerts ticket " +
        "tickets play plays stats stats_collection category categories nftdrop nftdrops erc20 erc20S release releases " +
        "playStats_collection songSearch",
    );
  });

  test("resolves a type whose name matches an earlier field", () => {
    const schema = "type A @entity { id: ID! C: Int } type B @entity { id: ID! } type C @entity { id: ID! }";
    expect([...new ApiSchema(schema).root.keys()]).toEqual(["a", "as", "c", "cs", "b", "bs"]);
  });

  test("gives a root field to the first of two types that claim its name, and shows both", async () => {
    const schema = "type P @entity { id: ID! } type Ps @entity { id: ID! n: Int } type Q @entity { id: ID! }";
    const { engine } = recordingEngine(schema);
    expect([...engine.api.root].map(([name, { type }]) => `${name}: ${type}`).slice(0, 4)).toEqual([
      "p: P",
      "ps: P",
      "ps_collection: Ps",
      "q: Q",
    ]);
    const query = `{
      __schema { queryType { fields { name type { name kind } args { name } } } types { name } }
      __type(name: "__Repeated_2") { name }
    }`;
    const { data } = await engine.execute({ query });
    const { __schema, __type } = JSON.parse(JSON.stringify(data));
    const { fields } = __schema.queryType;
    expect(fields.map(({ name }: { name: string }) => name)).toEqual([
      "p",
      "ps",
      "ps",
      "ps_collection",
      "q",
      "qs",
      "_meta",
      "_logs",
    ]);
    expect(fields[2]).toMatchObject({ type: { name: "Ps", kind: "OBJECT" }, args: [{ name: "id" }, {}, {}] });
    expect(__schema.types.filter(({ name }: { name: string }) => name.startsWith("__"))).toEqual([]);
    expect(__type).toBeNull();
  });

  test("shows inputs and directives unless they refer to hidden names", async () => {
    const { engine } = recordingEngine(`
      scalar Date union U = P extend type P { more: Int } schema { query: P }
      input I { a: Int i: I } input J { d: Date } input K { j: [J!] } input L { p: BigInt }
      directive @hint(i: I) on FIELD_DEFINITION directive @late(d: Date!) on OBJECT
      directive @entity(immutable: Boolean) on OBJECT
      type P @entity { id: ID! n(i: I, d: Date, l: [L!] = []): Int }
    `);
    const query = `{
      __schema { types { name } directives { name args { name } } }
      __type(name: "P") { fields { name args { name } } }
    }`;
    const { data, errors } = await engine.execute({ query });
    expect(errors).toBeUndefined();
    const { __schema, __type } = JSON.parse(JSON.stringify(data));
    const names = __schema.types.map(({ name }: { name: string }) => name);
    expect(["I", "J", "K", "L", "Date", "U"].filter((name) => names.includes(name))).toEqual(["I", "L"]);
    expect(__schema.directives.map(({ name }: { name: string }) => name)).toEqual([
      "hint",
      "entity",
      "skip",
      "include",
      "entity",
      "subgraphId",
      "derivedFrom",
    ]);
    expect(__type.fields).toEqual([
      { name: "id", args: [] },
      { name: "n", args: [{ name: "i" }, { name: "l" }] },
    ]);
  });

  test("has one field for a search that includes several entity types, as in graph-node", () => {
    const include = `[{ entity: "A", fields: [{ name: "t" }] }, { entity: "B", fields: [{ name: "t" }] }]`;
    const search = `@fulltext(name: "find", language: en, algorithm: rank, include: ${include})`;
    const { __schema } = introspectApi(
      `type _Schema_ ${search} type A @entity { id: ID! t: String } type B @entity { id: ID! t: String }`,
    );
    const query = __schema.types.find(({ name }) => name === "Query");
    const searches = query?.kind === "OBJECT" ? query.fields.filter(({ name }) => name === "find") : [];
    expect(searches).toMatchObject([{ type: { ofType: { ofType: { ofType: { name: "A" } } } } }]);
  });

  test("shows the default values of a schema's own arguments as GraphQL writes them", async () => {
    const { engine } = recordingEngine(`
      input Window { from: Int = 1 }
      enum Side { LEFT RIGHT }
      type P @entity { id: ID! n(w: Window = { from: 2 }, s: String = "a", l: [Int!] = [1, 2], side: Side = LEFT): Int }
    `);
    const query = '{ __type(name: "P") { fields { args { defaultValue } } } }';
    const { data, errors } = await engine.execute({ query });
    expect(errors).toBeUndefined();
    const told = JSON.parse(JSON.stringify(data)).__type.fields[1].args;
    expect(told.map(({ defaultValue }: { defaultValue: string }) => defaultValue)).toEqual([
      "{from: 2}",
      '"a"',
      "[1, 2]",
      "LEFT",
    ]);
  });

  test("introspects a list of lists", async () => {
    const schema = "type P @entity { id: ID! z: [[Int!]!]! }";
    expect(namesOf(schema, "P_filter").filter((name) => name.startsWith("z"))).toEqual([
      "z",
      "z_not",
      "z_contains",
      "z_not_contains",
    ]);
    const { data } = await recordingEngine(schema).engine.execute({
      query: '{ __type(name: "P") { fields { type { ofType { kind ofType { ofType { kind } } } } } } }',
    });
    expect(JSON.stringify(data)).toContain('{"kind":"LIST","ofType":{"ofType":{"kind":"LIST"}}}');
  });

  test("is complete in introspection, so clients can rebuild it", async () => {
    const { engine } = recordingEngine(musicSchema);
    const { data, errors } = await engine.execute({ query: getIntrospectionQuery() });
    expect(errors).toBeUndefined();
    const told: IntrospectionQuery = JSON.parse(JSON.stringify(data));
    const rebuilt = buildClientSchema(told);
    for (const name of ["Musician", "Musician_filter", "Release", "PlayStats", "Genre", "_Meta_", "Query"]) {
      const [own, other] = [engine.api.schema, rebuilt].map((schema) =>
        printType(present(schema.getType(name), `there is ${name}`)),
      );
      expect(other).toBe(own);
    }
  });
});
