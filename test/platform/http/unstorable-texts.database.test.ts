import { request } from "node:http";
import fc from "fast-check";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromSchema, type Schema } from "../../support/compiler/from-schema.js";
import { onEither } from "../../support/database/databases.js";
import { propertySeed } from "../../support/property/property-run.js";
import { sampleFiles } from "../../support/server/management-sample.js";
import { deployForm } from "../../support/server/platform-server.js";
import { startWholeServer, type WholeServer } from "../../support/server/whole-server.js";
import type { DescribedOperation, Description } from "../management/arbitrary-request.js";

/*
 * PostgreSQL stores no zero bytes, and no halves of surrogate pairs. Whatever part of a request contains one, the request is
 * wrong, and the database has not failed.
 */

const databases = onEither();
let server: WholeServer;
let description: Description;
beforeAll(async () => {
  server = await startWholeServer(await databases.fresh());
  description = (await server.ask("/openapi.json")).json;
});
afterAll(() => server.close());

/** As text in a body, and percent-encoded in an address. `URL` would change the second one. */
const texts = [
  ["a\0b", "a%00b"],
  ["a\ud800", "a%ED%A0%80"],
] as const;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The status of an answer to a request that is sent as it is. */
function statusOf({ method, path, headers = {}, body }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.address);
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", reject);
      // A stream of events has no end.
      if (answer.headers["content-type"]?.includes("event-stream")) {
        resolve(answer.statusCode ?? 0);
        answer.destroy();
      }
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** The requests whose answers are 500 or more, other than that an operation is not there yet. */
async function failing(all: readonly Sent[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const sent of all) {
    const status = await statusOf(sent);
    if (status >= 500 && status !== 501)
      found.push(`${status} ${sent.method} ${sent.path} ${JSON.stringify(sent.body)?.slice(0, 300)}`);
  }
  return found;
}

const asProgram = (): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${server.token}`,
  "content-type": "application/json",
});

/** A body with one text in the place of each of its values, and once as the name of a field in each object. */
function spoiled(value: unknown, text: string): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [text];
  const entries = Object.entries(value);
  const each = entries.flatMap(([name, inner]) =>
    spoiled(inner, text).map((other) => Object.fromEntries([...entries, [name, other]])),
  );
  if (Array.isArray(value)) return each.map((other) => Object.values(other));
  return [...each, { ...value, [text]: text }, { ...value, other: text }];
}

function requestsOf(path: string, method: string, operation: DescribedOperation): readonly Sent[] {
  const { parameters = [], requestBody } = operation;
  const meant = path
    .replace("{id}", server.project)
    .replace(/\{name\}/, path.includes("pipelines") ? "moved" : "pools");
  const filled = meant.replace("{version}", "1.0.0").replaceAll(/\{\w+\}/g, "x");
  const schema = requestBody?.content["application/json"]?.schema;
  const base = schema && fc.sample(fullest(schema), { numRuns: 1, seed: propertySeed })[0];
  return texts.flatMap(([text, encoded]) => {
    const head = { method: method.toUpperCase(), headers: asProgram() };
    const inPath = [...path.matchAll(/\{\w+\}/g)].map(([place]) => ({
      ...head,
      path: `/api/v1${path
        .replace(place, encoded)
        .replace("{version}", "1.0.0")
        .replaceAll(/\{\w+\}/g, "pools")}`,
      ...(base !== undefined && { body: JSON.stringify(base) }),
    }));
    const inQuery = [...parameters.filter((one) => one.in === "query").map(({ name }) => name), encoded].map(
      (name) => ({
        ...head,
        path: `/api/v1${filled}?${name}=${encoded}`,
        ...(base !== undefined && { body: JSON.stringify(base) }),
      }),
    );
    const inBody =
      base === undefined
        ? []
        : spoiled(base, text).map((body) => ({
            ...head,
            path: `/api/v1${filled}`,
            body: JSON.stringify(body),
          }));
    return [...inPath, ...inQuery, ...inBody];
  });
}

/** Values that have all fields of their schema. */
function fullest(schema: Schema): fc.Arbitrary<unknown> {
  const { schemas } = description.components;
  const all = (one: Schema): Schema => {
    const meant =
      one.$ref === undefined ? one : (schemas[one.$ref.replace("#/components/schemas/", "")] ?? {});
    const properties = Object.entries(meant.properties ?? {}).map(
      ([name, each]) => [name, all(each)] as const,
    );
    return {
      ...meant,
      properties: Object.fromEntries(properties),
      required: properties.map(([name]) => name),
    };
  };
  return fromSchema(all(schema), schemas);
}

it("an unstorable text in any field or parameter of an API operation is the client's mistake", async () => {
  const all = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => requestsOf(path, method, operation)),
  );
  expect(all.length).toBeGreaterThan(500);
  expect(await failing(all)).toEqual([]);
});

it("an unstorable text in the address or a field of a form of any page is the client's mistake", async () => {
  const headers = { cookie: server.owner.cookie, accept: "text/html" };
  const routes = server.routes.filter(
    ({ method, isPage, url }) => method !== "HEAD" && isPage && url !== "/*",
  );
  const pages = await Promise.all(
    routes
      .filter(({ method }) => method === "GET")
      .map(async ({ url }) => (await fetch(server.address + (await server.filled(url)), { headers })).text()),
  );
  const fields = [...new Set(pages.join("").match(/(?<= name=")\w+(?=")/g))];
  const all: Sent[] = [];
  for (const [, encoded] of texts)
    for (const { method, url } of routes) {
      const path = await server.filled(url);
      for (const [place] of url.matchAll(/:\w+/g))
        all.push({ method, path: url.replace(place, encoded).replaceAll(/:\w+/g, "pools"), headers });
      if (method === "GET")
        all.push({
          method,
          path: `${path}?${fields.map((name) => `${name}=${encoded}`).join("&")}`,
          headers,
        });
      else {
        const form = (bad: readonly string[]) =>
          fields.map((name) => `${name}=${bad.includes(name) ? encoded : "pools"}`).join("&");
        const type = { ...headers, "content-type": "application/x-www-form-urlencoded" };
        const one = fields[all.length % fields.length] ?? "";
        for (const bad of [fields, [one]]) all.push({ method, path, headers: type, body: form(bad) });
      }
    }
  expect(await failing(all)).toEqual([]);
});

it("an unstorable text in a query, its variables or its operation's name is the client's mistake", async () => {
  const paths = [
    `/api/public/${server.project}/subgraphs/pools/1.0.0/gn`,
    `/api/private/${server.project}/subgraphs/pools/1.0.0/gn`,
    "/subgraphs/name/pools",
    "/index-node/graphql",
  ];
  const arguments_ = [
    "where: {id: $x}",
    "where: {id_in: [$x]}",
    "where: {id_contains: $x}",
    "where: {id_gt: $x}",
    "where: {and: [{id: $x}]}",
  ];
  const all = texts.flatMap(([text]) => {
    const literal = JSON.stringify(text);
    return paths.flatMap((path) =>
      [
        ...arguments_.flatMap((each) => [
          { query: `query q($x: ID) { things(${each}) { id } }`, variables: { x: text } },
          { query: `{ things(${each.replace("$x", literal)}) { id } }` },
          { query: `{ things(${each.replace("$x", `"${text}"`)}) { id } }` },
        ]),
        { query: `{ thing(id: ${literal}) { id } }` },
        { query: `{ thing(id: "a", subgraphError: ${literal}) { id } }` },
        { query: `{ things(block: {hash: ${literal}}) { id } }` },
        { query: `query q($x: Bytes) { things(block: {hash: $x}) { id } }`, variables: { x: text } },
        { query: `{ thing(id: "a") { id } # ${text}\n}` },
        { query: "query q { things { id } }", operationName: text },
        { query: "query q($x: ID) { thing(id: $x) { id } }", variables: { [text]: text, x: "a" } },
        { query: `{ indexingStatuses(subgraphs: [${literal}]) { health } }` },
        { query: `{ indexingStatusForCurrentVersion(subgraphName: ${literal}) { health } }` },
        { query: `{ indexingStatusesForSubgraphName(subgraphName: ${literal}) { health } }` },
        { query: `{ proofOfIndexing(subgraph: ${literal}, blockNumber: 1, blockHash: ${literal}) }` },
        { query: `{ entityChangesInBlock(subgraphId: ${literal}, blockNumber: 5) { updates { type } } }` },
        { query: `{ subgraphFeatures(subgraphId: ${literal}) { features } }` },
      ].map((body) => ({ method: "POST", path, headers: asProgram(), body: JSON.stringify(body) })),
    );
  });
  expect(await failing(all)).toEqual([]);
});

it("an unstorable text in any other route's address, body or header is the client's mistake", async () => {
  const others = server.routes.filter(
    ({ method, isPage, url }) => method !== "HEAD" && !isPage && !url.startsWith("/api/v1/"),
  );
  const key = asProgram();
  const all: Sent[] = texts.flatMap(([text, encoded]) =>
    others.flatMap(({ method, url }) => [
      ...[...url.matchAll(/:\w+|\*/g)].map(([place]) => ({
        method,
        headers: key,
        path: url.replace(place, encoded).replaceAll(/:\w+/g, "pools"),
        ...(method === "POST" && { body: "{}" }),
      })),
      ...["secret", "query", "key", encoded].map((name) => ({
        method,
        headers: key,
        path: `${url.replaceAll(/:\w+/g, "pools")}?${name}=${encoded}`,
      })),
      ...(method === "POST"
        ? [
            {
              method,
              headers: key,
              path: url.replaceAll(/:\w+/g, "pools"),
              body: JSON.stringify({
                jsonrpc: "2.0",
                id: text,
                method: text,
                params: [text, { [text]: text }],
                grant_type: text,
                code: text,
                client_id: text,
                query: text,
              }),
            },
          ]
        : []),
    ]),
  );
  for (const name of [
    "authorization",
    "cookie",
    "x-request-id",
    "origin",
    "referer",
    "user-agent",
    "accept",
    "if-none-match",
    "x-forwarded-for",
    "last-event-id",
  ])
    for (const value of ["Bearer a%00b", "graphloom_session=a%00b", "\u0080\u00ff", "a\\u0000b"])
      for (const path of ["/", "/api/v1/subgraphs", "/subgraphs/name/pools", "/account", "/api/v1/me"])
        all.push({ method: "GET", path, headers: { [name]: value } });
  expect(await failing(all)).toEqual([]);
});

describe("in a bundle", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const files = sampleFiles();
  const manifest = Buffer.from(files["subgraph.yaml"] ?? []).toString();
  const schema = Buffer.from(files["schema.graphql"] ?? []).toString();
  it.each(["\\0", "\\ud800"])("%s is the client's mistake", async (escaped) => {
    const raw = JSON.parse(`"${escaped.replace("\\0", "\\u0000")}"`) as string;
    const json = escaped.replace("\\0", "\\u0000");
    const bundles: readonly Readonly<Record<string, Uint8Array>>[] = [
      { ...files, [`a${raw}b`]: bytes("x") },
      { ...files, [`Pool/${raw}.json`]: bytes("[]") },
      {
        ...files,
        "subgraph.yaml": bytes(`${manifest}\ndescription: "a${escaped === "\\0" ? escaped : "\\uD800"}b"\n`),
      },
      ...[...manifest.matchAll(/: ([\w.]+)$/gm)].map(({ index, 0: found, 1: value = "" }) => ({
        ...files,
        "subgraph.yaml": bytes(
          `${manifest.slice(0, index)}: "${value}${escaped === "\\0" ? escaped : "\\uD800"}"${manifest.slice(index + found.length)}`,
        ),
      })),
      { ...files, "schema.graphql": bytes(`"a${json}b"\n${schema}`) },
      { ...files, "schema.graphql": bytes(`"""a${raw}b"""\n${schema}`) },
      { ...files, "schema.graphql": bytes(`# a${raw}b\n${schema}`) },
      ...Object.keys(files)
        .filter((name) => name.endsWith(".json"))
        .map((name) => ({ ...files, [name]: bytes(`[{"type":"event","name":"a${json}","inputs":[]}]`) })),
    ];
    const statuses = [];
    for (const [index, bundle] of bundles.entries()) {
      for (const fields of [{}, { description: `a${raw}`, graph_node_shard: `a${raw}` }]) {
        const { status, text } = await server.ask(`/subgraphs/odd/deployments/${index}`, {
          method: "PUT",
          form: deployForm(zipSync(bundle), fields),
        });
        statuses.push([index, status, text.slice(0, 200)]);
      }
    }
    expect(statuses.filter(([, status]) => Number(status) >= 500)).toEqual([]);
  });
});
