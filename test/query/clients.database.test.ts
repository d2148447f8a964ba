import { Client, cacheExchange, fetchExchange } from "@urql/core";
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  parse,
  printSchema,
  validate,
} from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import { describeDatabases, world } from "../support/database/databases.js";
import type { DoubleServer } from "../support/network/double-server.js";
import { startQueryServer } from "../support/server/query-server.js";
import { fillMusic, musicDeployment } from "./music.js";

/** Documents as The Graph's tools and common code generators print them. */
const documents = {
  "of a code generator": `
    fragment BandParts on Band { id name __typename }
    fragment MusicianParts on Musician {
      id
      fans
      mainBand @include(if: $withBand) { ...BandParts }
      nick @skip(if: $withBand)
    }
    query Members(
      $band: ID!, $withBand: Boolean!, $first: Int! = 2, $skip: Int, $where: Musician_filter,
      $orderBy: Musician_orderBy, $orderDirection: OrderDirection, $block: Block_height
    ) {
      band(id: $band, block: $block) {
        ...BandParts
        members(first: $first, skip: $skip, where: $where, orderBy: $orderBy, orderDirection: $orderDirection) {
          ...MusicianParts
        }
      }
      _meta(block: $block) { block { number hash } hasIndexingErrors }
    }`,
  "that keeps to a block": `
    query Foo {
      _0_band: band(id: "b1", block: { number_gte: 12 }) { name }
      _0__meta: _meta { block { number } }
      _1_band: band(id: "b9", block: { number_gte: 12 }) { name }
    }`,
  "that is split into pages": `{
      splitted_0_bands: bands(first: 1000, skip: 0) { id }
      splitted_1000_bands: bands(first: 500, skip: 1000) { id }
    }`,
  "of an interface": `
    fragment AlbumParts on Album { label }
    query Releases($year: Int) {
      releases(orderBy: title, where: { year_gte: $year }) {
        __typename
        id
        ...AlbumParts
        ... on Single { copies }
      }
    }`,
};

describeDatabases("clients", ({ fresh }) => {
  let engine: QueryEngine;
  let server: DoubleServer;
  let client: Client;

  beforeAll(async () => {
    const database = await fresh();
    const deployment = musicDeployment(await fillMusic(database));
    engine = createQueryEngine({ database, deployment, world });
    server = await startQueryServer(engine);
    client = new Client({
      url: `${server.url}/subgraphs/name/music`,
      exchanges: [cacheExchange, fetchExchange],
      preferGetMethod: false,
    });
  });
  afterAll(() => server.stop());

  /** The answer that a client returns to its user. */
  const ask = async (query: string, variables: object = {}): Promise<unknown> => {
    const { data, error } = await client.query(query, variables).toPromise();
    return error ?? data;
  };

  test("clients get entities with the __typename fields that they add", async () => {
    const query =
      "query One($id: ID!) { musician(id: $id) { name mainBand { name } fans rating wallet tags } }";
    expect(await ask(query, { id: "m3" })).toEqual({
      musician: {
        __typename: "Musician",
        name: "Tom",
        mainBand: { __typename: "Band", name: "The Amateurs" },
        fans: "99999999999999999999999999",
        rating: "-0.000001",
        wallet: "0x",
        tags: ["Bass", "drums"],
      },
    });
    expect(JSON.parse(String(server.requests.at(-1)?.body))).toMatchObject({ operationName: "One" });
    expect(String(server.requests.at(-1)?.body)).toContain("__typename");
  });

  describe("documents", () => {
    const members = documents["of a code generator"];
    const [b1, b2] = [
      { __typename: "Band", id: "b1", name: "The Musicians" },
      { __typename: "Band", id: "b2", name: "The Amateurs" },
    ];
    const meta = (block: object): object => ({
      __typename: "_Meta_",
      block: { __typename: "_Block_", ...block },
      hasIndexingErrors: false,
    });
    const head = { number: 20, hash: `0x${"20".repeat(32)}` };

    test.each([
      [
        "of a code generator, with what is included",
        members,
        { band: "b1", withBand: true, orderBy: "id", orderDirection: "desc" },
        {
          band: {
            ...b1,
            members: [
              { __typename: "Musician", id: "m3", fans: "99999999999999999999999999", mainBand: b2 },
              { __typename: "Musician", id: "m2", fans: "250", mainBand: b1 },
            ],
          },
          _meta: meta(head),
        },
      ],
      [
        "of a code generator, with what is not skipped, at a block",
        members,
        { band: "b1", withBand: false, first: 5, skip: 1, where: { fans_gt: "250" }, block: { number: 12 } },
        {
          band: {
            ...b1,
            members: [
              { __typename: "Musician", id: "m3", fans: "99999999999999999999999999", nick: "tom_100%" },
            ],
          },
          _meta: meta({ number: 12, hash: null }),
        },
      ],
      [
        "that keep to a block",
        documents["that keeps to a block"],
        {},
        {
          _0_band: { __typename: "Band", name: "The Musicians" },
          _0__meta: { __typename: "_Meta_", block: { __typename: "_Block_", number: 20 } },
          _1_band: null,
        },
      ],
      [
        "that are split into pages",
        documents["that is split into pages"],
        {},
        {
          splitted_0_bands: ["b1", "b2", "b3"].map((id) => ({ __typename: "Band", id })),
          splitted_1000_bands: [],
        },
      ],
      [
        "of an interface",
        documents["of an interface"],
        { year: 2000 },
        {
          releases: [
            { __typename: "Album", id: "a2", label: null },
            { __typename: "Album", id: "a1", label: "Big" },
            { __typename: "Single", id: "g2", copies: null },
          ],
        },
      ],
    ])("answers documents %s", async (_, query, variables, data) => {
      expect(await ask(query, variables)).toEqual(data);
    });
  });

  test.each([
    ["musicians", "ID", ""],
    ["songs", "Bytes", "0x"],
    ["tickets", "Int8", "0"],
  ])("clients page through all %s by the last id", async (name, scalar, before) => {
    const ids = async (query: string, variables: object): Promise<readonly string[]> => {
      const { data, error } = await client.query(query, variables).toPromise();
      expect(error).toBeUndefined();
      return data[name].map(({ id }: { id: string }) => id);
    };
    const page = `query Page($last: ${scalar}!) { ${name}(first: 2, where: { id_gt: $last }) { id } }`;
    const found: string[] = [];
    let next = await ids(page, { last: before });
    while (next.length > 0 && found.length < 10) {
      found.push(...next);
      next = await ids(page, { last: found.at(-1) });
    }
    expect(found).toEqual(await ids(`{ ${name} { id } }`, {}));
    expect(found.length).toBeGreaterThan(3);
  });

  test("client tools can read the schema and validate documents against it", async () => {
    const { data } = await client.query<IntrospectionQuery>(getIntrospectionQuery(), {}).toPromise();
    if (!data) throw new Error("the schema cannot be read");
    const schema = buildClientSchema(data);
    // graph-node's description of Int ends in a newline, which only printing removes.
    const printed = (one: typeof schema): string =>
      printSchema(lexicographicSortSchema(one)).replaceAll(/^".*\\n"\n/gm, "");
    expect(printed(schema)).toBe(printed(engine.api.schema));
    for (const document of Object.values(documents)) expect(validate(schema, parse(document))).toEqual([]);
    expect(validate(schema, parse("{ bands { nope } }"))).toHaveLength(1);
  });

  describe("get", () => {
    test("clients get a query's errors with their locations", async () => {
      const { data, error } = await client.query("{ bands { id nope } }", {}).toPromise();
      expect(data).toBeUndefined();
      expect(error?.networkError).toBeUndefined();
      expect(error?.graphQLErrors.map(({ message }) => message)).toEqual(["Type `Band` has no field `nope`"]);
    });

    test("clients get partial data together with errors", async () => {
      const query =
        '{ a: bands(first: 1) { id } b: bands(where: { name: "\\u0000" }, block: { number: 12 }) { id } }';
      const { data, error } = await client.query(query, {}).toPromise();
      expect(data).toEqual({ a: [{ __typename: "Band", id: "b1" }] });
      expect(error?.message).toContain('invalid byte sequence for encoding "UTF8": 0x00');
    });

    test.each([
      ["a mutation", "mutation { bands }", "Not supported: Mutations are not supported"],
      [
        "a variable that is missing",
        "query ($id: ID!) { band(id: $id) { id } }",
        "No value provided for required variable `id`",
      ],
      [
        "two operations without names",
        "{ bands { id } } query B { bands { id } }",
        "Operation name required",
      ],
    ])("clients get the error of %s", async (_, query, message) => {
      const operation = query.startsWith("mutation") ? client.mutation(query, {}) : client.query(query, {});
      const { error } = await operation.toPromise();
      expect(error?.graphQLErrors.map((one) => one.message)).toEqual([message]);
    });
  });
});
