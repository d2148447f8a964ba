import { gunzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { createApp } from "../../../src/platform/http/app.js";
import type { Database } from "../../../src/store/database/database.js";
import { createQueryHosting, queryPlatform } from "../../support/server/query-hosting.js";

const schema = `
  type Swap @entity(immutable: true) { id: Bytes! pool: Pool! amounts: [BigInt!]! timestamp: BigInt! }
  type Pool @entity { id: ID! swaps: [Swap!]! @derivedFrom(field: "pool") }
`;
const endpoint = {
  project: "project_1",
  engine: "embedded",
  has_public_endpoint: "t",
  has_private_endpoint: "f",
  head_hash: null,
  stamp: null,
};
const deployment = {
  id: "1",
  deployment: "QmA",
  network: "mainnet",
  is_paused: "f",
  namespace: "sgd1",
  schema,
  file_types: "{}",
  start_block: "0",
  earliest_block: "0",
  history_blocks: null,
  health: "healthy",
  is_retried: null,
  first_error_block: null,
  proof_variant: null,
  manifest: null,
  is_synced: "f",
  number: null,
  hash: null,
  parent_hash: null,
  timestamp: null,
};
const rows = [{ ...deployment, ...endpoint }];
/** A catalog in which every name exists and is public. */
const database: Database = {
  provider: "postgres",
  query: async () => rows,
  run: async () => undefined,
  transaction: () => Promise.reject(new Error("nothing is written")),
  listen: async () => async () => undefined,
  close: async () => undefined,
};

describe("The GraphiQL page", () => {
  let app: FastifyInstance;
  const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  beforeAll(async () => {
    app = await createApp(queryPlatform(database, createQueryHosting()), [endpoints()]);
  });

  afterAll(() => app.close());

  const pageAt = async (url: string) => {
    const response = await app.inject({ url, headers: html });
    expect([response.statusCode, response.headers["content-type"]], url).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    return response;
  };

  const optionsAt = async (url: string): Promise<unknown> => {
    const { body } = await pageAt(url);
    return JSON.parse((/data-options="([^"]*)"/.exec(body)?.[1] ?? "").replaceAll("&quot;", '"'));
  };

  test.each([
    "/api/public/project_1/subgraphs/pools/1.0.0/gn",
    "/api/private/project_1/subgraphs/pools/1.0.0/gn",
    "/subgraphs/name/pools/1.0.0/graphql",
    "/subgraphs/id/QmA/graphql",
    "/subgraphs/graphql",
    "/index-node/graphql",
  ])("is served at %s and loads nothing from other hosts", async (url) => {
    const { body, headers } = await pageAt(url);
    const loaded = [...body.matchAll(/(?:<(?!a )[^>]* (?:src|href)=|url\()"([^"]*)"/g)].map(
      ([, link]) => link,
    );
    expect(loaded).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml;base64,/),
      expect.stringMatching(/^\/graphiql\/graphiql-[0-9a-f]{16}\.css$/),
      expect.stringMatching(/^data:image\/svg\+xml;base64,/),
      expect.stringMatching(/^\/graphiql\/graphiql-[0-9a-f]{16}\.js$/),
    ]);
    expect(body).not.toMatch(/https?:/);
    expect(body).toContain('<header><a class="name" href="/">');
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
  });

  test("sends its queries to the same address as graph-node's page does", async () => {
    expect(await optionsAt("/subgraphs/name/pools/1.0.0/graphql")).toMatchObject({
      title: "GraphiQL",
      endpoint: "/subgraphs/name/pools/1.0.0",
    });
    expect(await optionsAt("/api/public/project_1/subgraphs/pools/prod/gn")).not.toHaveProperty("endpoint");
  });

  test("starts with a query for existing entities, unless reading the schema requires a key", async () => {
    const defaultQuery = `{
  _meta { block { number } hasIndexingErrors }
  swaps(first: 5, orderBy: timestamp, orderDirection: desc) {
    id
    pool { id }
    amounts
    timestamp
  }
  pools(first: 5) {
    id
  }
}
`;
    expect(await optionsAt("/api/public/project_1/subgraphs/pools/prod/gn")).toMatchObject({ defaultQuery });
    expect(await optionsAt("/subgraphs/id/QmA/graphql")).toMatchObject({ defaultQuery });
    expect(await optionsAt("/api/private/project_1/subgraphs/pools/prod/gn")).toEqual({ title: "GraphiQL" });
  });

  test("serves its assets from this server, compressed and cacheable forever", async () => {
    const { body } = await pageAt("/subgraphs/id/QmA/graphql");
    const [style = "", script = ""] = [...body.matchAll(/"(\/graphiql\/[^"]*)"/g)].map(([, found]) => found);
    const zipped = await app.inject({ url: script, headers: { "accept-encoding": "gzip, br" } });
    expect(zipped.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
    });
    const text = gunzipSync(zipped.rawPayload).toString();
    expect((await app.inject({ url: script })).body).toBe(text);
    const workers = [...text.slice(0, 1000).matchAll(/"(\/graphiql\/[^"]*)"/g)].map(
      ([, found]) => found ?? "",
    );
    expect(workers).toHaveLength(3);
    for (const url of [style, ...workers]) {
      expect((await app.inject({ url })).statusCode, url).toBe(200);
    }
    const css = (await app.inject({ url: style })).body;
    expect(css).not.toMatch(/@import|url\(\s*["']?(?:https?:)?\/\//);
    expect((await app.inject({ url: "/graphiql/graphiql-0.js" })).statusCode).toBe(404);
  });

  test("escapes names", async () => {
    const { body } = await pageAt("/subgraphs/name/%3Cscript%3Ealert(1)%3C%2Fscript%3E%22'/graphql");
    expect(body).not.toContain("alert(1)<");
    expect(body).not.toContain("<script>");
    expect(body).toContain("&lt;script&gt;alert(1)&lt;");
  });

  test("is served only to browsers, and other clients get 405 with the allowed methods", async () => {
    const url = "/api/public/project_1/subgraphs/pools/1.0.0/gn";
    for (const accept of ["*/*", "application/json", undefined]) {
      const response = await app.inject({ url, headers: accept === undefined ? {} : { accept } });
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe("GET, OPTIONS, POST");
    }
  });
});
