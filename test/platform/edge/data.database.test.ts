import { request } from "node:http";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openOwnService } from "../../../src/cli/serve/open-own-service.js";
import { readTableToImport } from "../../../src/data/catalog/import-table.js";
import { edgePart } from "../../../src/platform/edge/edge-part.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { addApiKey } from "../../../src/platform/people/api-keys.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { addVersion, setTag } from "../../../src/platform/subgraphs/versions.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { SQL } from "../../../src/store/database/database.js";
import { makeChain, putTransfers } from "../../support/data/made-chain.js";
import { balance, makeMarket } from "../../support/data/made-market.js";
import { onEither, world } from "../../support/database/databases.js";
import { type DoubleServer, json, startDouble } from "../../support/network/double-server.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";

/** What a test looks up in the OpenAPI document. */
interface DataDocument {
  readonly paths: Readonly<
    Record<
      "/blocks/{chain}/head",
      { readonly get: { readonly responses: Readonly<Record<string, unknown>> } }
    >
  >;
}

interface DataRefusal {
  readonly error: { readonly code: string };
}

const databases = onEither();
const parts = [managementPart(), edgePart];
/** Time stands still because counts restart with every minute. */
const now = world.now();
let service: DoubleServer;
let platform: TestPlatform;
let key: string;
let asked = 0;
let open: () => void = () => undefined;
const held = new Promise<void>((resolve) => {
  open = resolve;
});

const create = async (body: object) =>
  (await platform.ask("/edge", { method: "POST", body })).json as {
    readonly data: { readonly api_key: string };
    readonly warnings?: readonly string[];
  };

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await fetch(`${platform.address}/edge/data${path}`, { headers, method });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

beforeAll(async () => {
  service = await startDouble(async ({ path, query }) => {
    if (path.startsWith("/v1/held")) await held;
    if (path.startsWith("/v1/refused"))
      return { ...json({ error: { code: "X", message: "y" } }), status: 422 };
    if (path === "/prices") {
      const said = { usd: 2, last_updated_at: Math.floor(Date.now() / 1000) };
      return json(Object.fromEntries((query.get("tokens") ?? "").split(",").map((token) => [token, said])));
    }
    if (path.startsWith("/v1/long")) return json({ data: "long ".repeat(1_000) });
    if (path.startsWith("/v1/page")) return { status: 200, body: "<script>", type: "text/html" };
    const headers = { "x-block-number": "7", "cache-control": "private, max-age=2", "x-other": "1" };
    return { ...json({ data: [], limit: 100, next_cursor: null }), headers };
  });
  platform = await startPlatform(await databases.fresh(), {
    world: { ...world, now: () => now },
    dataService: { address: `${service.url}/v1`, key: "key-of-the-server" },
    parts,
  });
  key = (await create({ name: "data", product: "data" })).data.api_key;
});
afterAll(async () => {
  await platform.close();
  await service.stop();
});
beforeEach(() => {
  asked = service.requests.length;
});

it("the server makes few requests of a project at once, and leaves places to other projects", async () => {
  const { database } = platform.platform;
  const project = "project_beside";
  const other = `gl_${"B".repeat(32)}`;
  await createProject(database, { id: project, name: project });
  await addApiKey(database, { id: "key_beside", project, name: "k", role: "Owner", key: other });
  const body = { name: "data", product: "data" };
  const made = await platform.ask("/edge", { method: "POST", body, key: other });
  const busy = Array.from({ length: 9 }, (_, index) => get(`/held/${index}`, { "x-api-key": key }));
  await expect.poll(() => service.requests.length - asked).toBe(4);
  expect((await get("/free", { "x-api-key": made.json.data.api_key })).status).toBe(200);
  expect(service.requests.length - asked).toBe(5);
  open();
  expect((await Promise.all(busy)).map(({ status }) => status)).toEqual(Array(9).fill(200));
});

describe("An endpoint of the data service", () => {
  it("forwards requests and answers, with the server's key in place of the endpoint's key", async () => {
    for (const [path, headers] of [
      ["/blocks/ethereum?limit=2&from_block=1", { "x-api-key": key }],
      [`/blocks/ethereum?limit=2&from_block=1&key=${key}`, {}],
      [`/blocks/ethereum?limit=2&from_block=1&secret=${key}`, {}],
      ["/blocks/ethereum?limit=2&from_block=1", { authorization: `Bearer ${key}` }],
    ] as [string, Record<string, string>][]) {
      const answer = await get(path, headers);
      expect([answer.status, JSON.parse(answer.text).limit]).toEqual([200, 100]);
      expect(["x-block-number", "cache-control", "x-other"].map((name) => answer.headers.get(name))).toEqual([
        "7",
        "private, max-age=2",
        null,
      ]);
      const sent = service.requests.at(-1);
      expect(sent?.path).toBe("/v1/blocks/ethereum");
      expect(String(sent?.query)).toBe("limit=2&from_block=1");
      expect(sent?.headers["x-api-key"]).toBe("key-of-the-server");
      expect(JSON.stringify(sent?.headers)).not.toContain(key);
    }
  });

  it("forwards errors of the service as JSON, and never as an HTML page", async () => {
    const refused = await get("/refused", { "x-api-key": key });
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([422, "X"]);
    const page = await get("/page", { "x-api-key": key });
    expect(page.headers.get("content-type")).toContain("application/json");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("never forwards a request to a path outside the service's address", async () => {
    // A raw request, because clients would normalise the path.
    for (const path of [
      "/../../admin",
      "/a/%2e%2e/%2e%2e/%2e%2e/admin",
      "/../data/../admin",
      "/..%2f..%2fadmin",
    ]) {
      const status = await new Promise((resolve, reject) => {
        const { hostname, port } = new URL(platform.address);
        request({ hostname, port, path: `/edge/data${path}`, headers: { "x-api-key": key } }, (answer) =>
          resolve(answer.resume().statusCode),
        )
          .on("error", reject)
          .end();
      });
      expect([path, status]).toEqual([path, path.includes("2f") ? 200 : 404]);
    }
    expect(service.requests.slice(asked).map(({ path }) => path)).toEqual(["/v1/..%2f..%2fadmin"]);
  });

  it("rejects methods that write", async () => {
    expect((await get("/blocks/ethereum", { "x-api-key": key }, "POST")).status).toBe(404);
    expect(service.requests.length).toBe(asked);
  });

  it("rejects requests without a valid key of that endpoint", async () => {
    const rpc = (await create({ name: "rpc", product: "rpc" })).data.api_key;
    expect((await get("/blocks/ethereum")).status).toBe(401);
    expect((await get("/blocks/ethereum", { "x-api-key": "ge_wrong" })).status).toBe(401);
    expect((await get("/blocks/ethereum", { "x-api-key": rpc })).status).toBe(403);
    await platform.ask("/edge/data/pause", { method: "PUT" });
    expect((await get("/blocks/ethereum", { "x-api-key": key })).status).toBe(403);
    await platform.ask("/edge/data/resume", { method: "PUT" });
    expect(service.requests.length).toBe(asked);
  });

  it("enforces its rate limit and allowed domains, like an RPC endpoint", async () => {
    const own = await create({
      name: "budget",
      product: "data",
      rate_limit_budget: "edge-tier-unlimited-total-100rpm-per-ip",
      allowed_domains: ["app.example"],
    });
    const headers = { "x-api-key": own.data.api_key, origin: "https://app.example" };
    expect((await get("/x", { ...headers, origin: "https://other.example" })).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 101 }, () => get("/refused", headers)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answers[0]?.headers.get("access-control-allow-origin")).toBe("https://app.example");
    // Pages of other origins may read which block an answer is of, and when to come again.
    const exposed = answers[0]?.headers.get("access-control-expose-headers")?.split(/, */);
    expect(exposed).toEqual(expect.arrayContaining(["x-blocks", "x-block-hash", "retry-after"]));
  });

  it("accepts a right key beside wrong ones, in any place", async () => {
    const wrong = "ge_wrong";
    for (const [path, headers] of [
      [`/free?key=${key}`, { "x-api-key": wrong }],
      [`/free?secret=${key}`, { "x-api-key": "" }],
      [`/free?secret=${wrong}&key=${key}`, { authorization: `Bearer ${wrong}` }],
      [`/free?key=${wrong}`, { "x-api-key": key, authorization: "Basic dTpw" }],
    ] as [string, Record<string, string>][])
      expect([path, (await get(path, headers)).status]).toEqual([path, 200]);
    const none = await get(`/free?secret=${wrong}&key=`, {
      "x-api-key": "",
      authorization: `Bearer ${wrong}`,
    });
    expect(none.status).toBe(401);
  });

  it("answers browsers and caches as the data service itself does", async () => {
    const mine = { "x-api-key": key, origin: "https://app.example" };
    const first = await get("/long", mine);
    const etag = String(first.headers.get("etag"));
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    for (const method of ["GET", "HEAD"]) {
      const again = await get("/long", { ...mine, "if-none-match": etag }, method);
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
      // Pages of other origins have other answers, so that caches must tell them apart.
      expect(again.headers.get("access-control-allow-origin")).toBe("https://app.example");
      expect(again.headers.get("vary")?.toLowerCase()).toBe("origin, accept-encoding");
    }
    for (const encoding of ["br", "gzip"]) {
      const packed = await get("/long", { ...mine, "accept-encoding": encoding });
      expect([packed.headers.get("content-encoding"), packed.text]).toEqual([encoding, first.text]);
    }
    const preflight = await get(
      "/long",
      {
        origin: "https://app.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization, x-api-key, if-none-match",
      },
      "OPTIONS",
    );
    expect(preflight.status).toBe(204);
    // The asterisk covers all but the header with the bearer token.
    expect(preflight.headers.get("access-control-allow-headers")?.split(", ")).toEqual([
      "*",
      "authorization",
    ]);
    // A key is sent by the page itself, never by the browser.
    for (const { headers } of [first, preflight])
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(first.headers.get("access-control-expose-headers")).toContain("etag");
  });

  it("reports that the service is down or rejects the server's key, without showing the key", async () => {
    service.fail({ kind: "status", status: 401 }, { kind: "cut" }, { kind: "status", status: 302 });
    for (const said of [/rejected this server's key/, /did not answer/, /did not answer/]) {
      const answer = await get("/blocks/ethereum", { "x-api-key": key });
      const { code, message } = JSON.parse(answer.text).error;
      expect([answer.status, code, message]).toEqual([503, "UNAVAILABLE", expect.stringMatching(said)]);
      expect(answer.text).not.toContain("key-of-the-server");
    }
  });

  it("is answered only about the market of its own project", async () => {
    const { database } = platform.platform;
    const own = await startPlatform(database, {
      world: { ...world, now: () => now },
      dataService: openOwnService(
        database,
        new Uint8Array(32).fill(7),
        new Nodes(new Map(), world),
        new AbortController().signal,
      ),
      parts,
      wantsKey: true,
    });
    onTestFinished(() => own.close());
    const foreign = await own.addKey("Owner", "project_other");
    const keyOf = async (owner: string): Promise<string> =>
      (await own.ask("/edge", { method: "POST", key: owner, body: { name: "market", product: "data" } })).json
        .data.api_key;
    const [mine, theirs] = [await keyOf(own.token), await keyOf(foreign)];
    const wallet = `0x${"1".repeat(40)}`;
    const ask = async (secret: string, path: string, query = {}) => {
      const search = new URLSearchParams({ address: wallet, ...query });
      const answer = await fetch(`${own.address}/edge/data${path}?${search}`, {
        headers: { "x-api-key": secret },
      });
      return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, never>> };
    };
    const held = (secret: string, query = {}) => ask(secret, "/market/balances", query);
    const why = async (secret: string) => {
      const { status, body } = await held(secret);
      const { code, message } = body.error as unknown as Readonly<Record<string, string>>;
      return [status, code, message];
    };
    const none = expect.stringMatching(/^This project has no market: none of its subgraphs /);
    expect(await why(mine)).toEqual([502, "NO_DATA", none]);
    expect((await ask(mine, "/status")).body.market).toBeNull();

    const deploy = async (
      project: string,
      name: string,
      version: string,
      { deployment }: { readonly deployment: string },
      engine = "embedded",
    ): Promise<void> => {
      const facts = { network: "matic", engine, description: null, bundle: new Uint8Array() };
      await addVersion(database, { project, name, version, deployment, ...facts });
    };
    const made = async (amount: bigint, schema?: string) => {
      const market = await makeMarket(database, schema === undefined ? {} : { schema });
      if (schema === undefined)
        await market.commit(
          3,
          [1n, 2n].map((token) => balance(wallet, wallet, token, amount, 3)),
        );
      return market.deployment;
    };
    const [first, second, other] = [await made(7n), await made(8n), await made(9n)];
    const pools = await made(0n, "type Pool @entity(immutable: false) { id: ID! }");
    await deploy(own.project, "pools", "1.0.0", pools);
    await deploy(own.project, "soon", "1.0.0", { deployment: "QmNotIndexedYet" });
    await deploy(own.project, "elsewhere", "1.0.0", second, "graph-node");
    expect(await why(mine)).toEqual([502, "NO_DATA", none]);
    await deploy("project_other", "theirs", "2.0.0", other);
    await deploy(own.project, "market", "1.0.0", first);
    const page = await held(mine, { limit: "1" });
    expect(page.body.data).toMatchObject([{ token_id: "1", balance: "7" }]);
    expect((await held(mine, { cursor: page.body.next_cursor })).body.data).toMatchObject([{ balance: "7" }]);
    expect((await held(theirs)).body.data).toMatchObject([{ balance: "9" }, { balance: "9" }]);
    expect((await held(theirs, { cursor: page.body.next_cursor })).body.error).toMatchObject({
      code: "INVALID_CURSOR",
    });
    expect((await ask(mine, "/status")).body.market).toMatchObject({ subgraph: "market/1.0.0" });
    expect((await ask(theirs, "/status")).body.market).toMatchObject({ subgraph: "theirs/2.0.0" });

    const latest = await made(10n);
    await deploy(own.project, "market", "1.1.0", latest);
    expect(await why(mine)).toEqual([
      502,
      "NO_DATA",
      "This project has several markets: market/1.0.0, market/1.1.0. Point the tag market to the version to use.",
    ]);
    await setTag(database, { project: own.project, name: "market", version: "market" }, "1.1.0");
    expect((await held(mine)).body.data).toMatchObject([{ balance: "10" }, { balance: "10" }]);
    await deploy(own.project, "another", "market", first);
    expect((await why(mine))[2]).toMatch(
      /^This project has several markets: another\/market, market\/market\. /,
    );
  });

  it("is answered by the server itself, with the same keys and headers", async () => {
    const { database } = platform.platform;
    onTestFinished(() => database.run(SQL`drop schema if exists graphloom_data_ethereum cascade`));
    await makeChain(database, { chain: "ethereum", head: 9, final: 3 });
    const [wallet, token] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
    const transfer = { block: 1, transaction: 0, log: 0, from: token, to: wallet, token, amount: 3_000_000n };
    await putTransfers(database, "ethereum", [transfer]);
    const facts = readTableToImport(`chain,token,decimals,canonical_id\nethereum,${token},6,two\n`);
    await facts.write(database);
    const nodes = new Nodes(new Map([["mainnet", [`${service.url}/rpc`]]]), world);
    onTestFinished(() => nodes.close());
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const dataService = openOwnService(database, new Uint8Array(32).fill(7), nodes, ending.signal, {
      prices: `${service.url}/prices?tokens={tokens}`,
    });
    const own = await startPlatform(database, {
      world: { ...world, now: () => now },
      dataService,
      parts,
      wantsKey: true,
    });
    onTestFinished(() => own.close());
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${own.address}/edge/data${path}`, { headers });
      const body = (await answer.json()) as Readonly<Record<string, never>>;
      return { status: answer.status, header: (name: string) => answer.headers.get(name), body };
    };
    const head = { chain: "ethereum", number: 9 };
    for (const [path, headers] of [
      ["/blocks/ethereum/head", { "x-api-key": key }],
      ["/blocks/ethereum/head", { authorization: `Bearer ${key}` }],
      [`/blocks/ethereum/head?key=${key}`, {}],
      [`/blocks/ethereum/head?secret=${key}`, {}],
    ] as [string, Record<string, string>][]) {
      const { status, header, body } = await ask(path, headers);
      expect([status, body]).toMatchObject([200, head]);
      expect([header("x-block-number"), header("cache-control")]).toEqual(["9", "private, max-age=2"]);
    }
    const mine = { "x-api-key": key };
    const page = await ask("/blocks/ethereum?limit=2", mine);
    const next = await ask(`/blocks/ethereum?limit=2&cursor=${page.body.next_cursor}`, mine);
    expect(next.body.data).toMatchObject([{ number: 7 }, { number: 6 }]);
    expect((await ask("/blocks/ethereum/head")).status).toBe(401);
    expect((await ask("/blocks/ethereum/head", { "x-api-key": "ge_wrong" })).status).toBe(401);
    expect(await ask("/blocks/ethereum?number=1&hash=2", mine)).toMatchObject({
      status: 400,
      body: { error: { code: "BAD_REQUEST" } },
    });
    // Its node has no balances: natives cannot be had, and are never 0.
    const balances = await ask(`/feeds/wallets/balances?address=${wallet}&include_unknown_price=true`, mine);
    expect(balances).toMatchObject({ status: 503, body: { error: { chains: ["ethereum"] } } });
    expect(dataService.nodeFailure("mainnet", service.url)).toEqual({
      at: expect.any(Number),
      why: expect.stringMatching(/HTTP|answer/),
    });
    expect(dataService.nodeFailure("base", service.url)).toBeUndefined();
    const priced = await ask(`/feeds/wallets/balances?address=${wallet}&token_address=${token}`, mine);
    expect(priced.body.data).toMatchObject([{ balance_raw: "3000000", price_usd: 2, value_usd: 6 }]);
    expect(Number(balances.header("retry-after"))).toBeGreaterThan(0);
    const { body: document, header: told } = await ask("/openapi.json", mine);
    expect([told("content-encoding"), told("etag")]).toEqual(["gzip", expect.stringContaining('W/"')]);
    expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: `${own.address}/edge/data` }] });
    const explorer = await fetch(`${own.address}/edge/data/docs`);
    expect([explorer.status, explorer.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(await (await fetch(`${own.address}/edge/data/docs/json`)).json()).toEqual(document);
    // Refusals of the server have the form of those of the service, which the document describes.
    const rpc = (await create({ name: "for-rpc", product: "rpc" })).data.api_key;
    const few = (
      await create({
        name: "few",
        product: "data",
        allowed_domains: ["app.example"],
        rate_limit_budget: "edge-tier-unlimited-total-100rpm-per-ip",
      })
    ).data.api_key;
    const fits = new Ajv2020({ strict: false });
    fits.addSchema({ $id: "document", ...document });
    const { responses } = (document as unknown as DataDocument).paths["/blocks/{chain}/head"].get;
    const refusal = async (headers: Record<string, string>): Promise<readonly unknown[]> => {
      const { status, header, body } = await ask("/blocks/ethereum/head", headers);
      expect(Object.keys(responses)).toContain(String(status));
      expect(header("content-type")).toBe("application/json; charset=utf-8");
      const check = fits.compile({ $ref: "document#/components/schemas/Error" });
      expect(check(body), JSON.stringify(check.errors)).toBe(true);
      const { code } = (body as unknown as DataRefusal).error;
      return [status, code, header("retry-after") !== null];
    };
    expect(await refusal({})).toEqual([401, "UNAUTHORIZED", false]);
    expect(await refusal({ "x-api-key": rpc })).toEqual([403, "FORBIDDEN", false]);
    expect(await refusal({ "x-api-key": few, origin: "https://other.example" })).toEqual([
      403,
      "FORBIDDEN",
      false,
    ]);
    const allowed = { "x-api-key": few, origin: "https://app.example" };
    const many = Array.from({ length: 101 }, () => ask("/blocks/ethereum/head", allowed));
    expect((await Promise.all(many)).some(({ status }) => status === 429)).toBe(true);
    expect(await refusal(allowed)).toEqual([429, "RATE_LIMITED", true]);
    // Another data service has its own.
    expect((await get("/docs")).status).toBe(401);
    const { json: usage } = await own.ask("/edge/sources");
    expect(usage.data).toHaveLength(1);
  });

  it("is listed among the sources, and warns when the server has no data service", async () => {
    const { json: sources } = await platform.ask("/edge/sources");
    expect(sources.data.at(-1).endpoint).toBe(`${platform.address}/edge/data`);
    const without = await startPlatform(platform.platform.database, { parts, wantsKey: true });
    expect((await without.ask("/edge/sources")).json.data).toEqual([]);
    const made = await without.ask("/edge", { method: "POST", body: { name: "early", product: "data" } });
    expect(made.json.warnings).toHaveLength(1);
    const answer = await fetch(`${without.address}/edge/data/x`, { headers: { "x-api-key": key } });
    const told = (await answer.json()) as { readonly error: { readonly message: string } };
    expect([answer.status, told.error.message]).toEqual([503, expect.stringContaining("--data-service")]);
    await without.close();
  });
});
