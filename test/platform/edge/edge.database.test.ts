import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { edgePart } from "../../../src/platform/edge/edge-part.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import { type DoubleServer, json, startDouble } from "../../support/network/double-server.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";

const databases = onEither();
/** Time stands still because counts restart with every minute. */
const now = world.now();
const still = { ...world, now: () => now };
let node: DoubleServer;
let platform: TestPlatform;

beforeEach(async () => {
  node = await startDouble(({ body }) => {
    const asked = JSON.parse(String(body));
    const answer = ({ id, method }: { id: unknown; method: string }) => ({
      jsonrpc: "2.0",
      id,
      ...(method === "eth_call" ? { error: { code: 3, message: "execution reverted" } } : { result: "0x1" }),
    });
    return json(Array.isArray(asked) ? asked.map(answer) : answer(asked));
  });
  platform = await startPlatform(await databases.fresh(), {
    world: still,
    nodes: new Map([["mainnet", [`${node.url}/secret-of-the-node`]]]),
    parts: [managementPart(), edgePart],
    trustedProxies: ["127.0.0.1"],
  });
});
afterEach(async () => {
  await platform.close();
  await node.stop();
});

const create = async (more: object = {}) =>
  (await platform.ask("/edge", { method: "POST", body: { name: "app", ...more } })).json.data
    .api_key as string;

const block = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] };

async function rpc(
  key: string | undefined,
  body: unknown = block,
  headers: Record<string, string> = {},
  network = "mainnet",
) {
  const secret = key === undefined ? "" : `?secret=${key}`;
  const answer = await fetch(`${platform.address}/edge/rpc/${network}${secret}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const { status, headers: received } = answer;
  return { status, headers: received, text, json: text === "" ? undefined : JSON.parse(text) };
}

describe("An endpoint", () => {
  it("can be created, read, changed and deleted, and its key can be read again", async () => {
    const made = await platform.ask("/edge", {
      method: "POST",
      body: {
        name: "app",
        rate_limit_budget: "edge-tier-6krpm-total-500rpm-per-ip",
        allowed_domains: ["a.example"],
      },
    });
    expect(made.status).toBe(201);
    expect(made.json.data).toMatchObject({ name: "app", product: "rpc", status: "ACTIVE", paused_at: null });
    const again = await platform.ask("/edge", { method: "POST", body: { name: "app" } });
    expect([again.status, again.json.type]).toEqual([409, `${platform.address}/api/errors/conflict`]);
    expect((await platform.ask("/edge/app/api-key")).json.data).toEqual({ api_key: made.json.data.api_key });
    const changed = await platform.ask("/edge/app", { method: "PATCH", body: { rate_limit_budget: null } });
    expect(changed.json.data).toMatchObject({ rate_limit_budget: null, allowed_domains: ["a.example"] });
    expect((await platform.ask("/edge/app", { method: "PATCH", body: {} })).status).toBe(400);
    expect((await platform.ask("/edge?product=rpc")).json.data).toHaveLength(1);
    expect((await platform.ask("/edge?product=data")).json.data).toEqual([]);
    expect((await platform.ask("/edge/app", { method: "DELETE" })).status).toBe(204);
    expect((await platform.ask("/edge/app")).status).toBe(404);
    expect((await rpc(made.json.data.api_key)).status).toBe(401);
  });

  it.each([
    [".", "/edge/%252E"],
    ["..", "/edge/%252e%252E"],
    ["\ufeff", "/edge/%EF%BB%BF"],
    ["\ufeffapp", "/edge/%EF%BB%BFapp"],
    ["\r\nX: y", "/edge/%0D%0AX:%20y"],
    [" ", "/edge/%20"],
    [" app", "/edge/%20app"],
    ["\u202eppa", "/edge/%E2%80%AEppa"],
    ["\u001b[2J", "/edge/%1B%5B2J"],
  ])("cannot be named %j, but can be deleted if it already has that name", async (name, path) => {
    const refused = await platform.ask("/edge", { method: "POST", body: { name } });
    expect([refused.status, refused.json.errors?.[0]?.field]).toEqual([400, "name"]);
    await create();
    await platform.platform.database.query(SQL`update graphloom.edge_endpoints set name = $1::text`, [name]);
    expect((await platform.ask("/edge")).json.data).toMatchObject([{ name }]);
    expect((await platform.ask(path)).json.data).toMatchObject({ name });
    expect((await platform.ask(path, { method: "DELETE" })).status).toBe(204);
    expect((await platform.ask("/edge")).json.data).toEqual([]);
  });

  it.each(["app", "my app", "app.prod", "größe", "アプリ", "a%2Eb"])("can be named %j", async (name) => {
    expect((await platform.ask("/edge", { method: "POST", body: { name } })).status).toBe(201);
    expect((await platform.ask(`/edge/${encodeURIComponent(name)}`, { method: "DELETE" })).status).toBe(204);
  });

  it("stores no key in plain text", async () => {
    const key = await create();
    const rows = await platform.platform.database.query(SQL`select * from graphloom.edge_endpoints`);
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(key).toString("hex"));
  });

  it("forwards requests with its key, and rejects requests without it", async () => {
    const key = await create();
    expect((await rpc(key)).json).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" });
    expect((await rpc(undefined, block, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await rpc(undefined, block, { "x-api-key": key })).status).toBe(200);
    expect((await rpc(undefined)).status).toBe(401);
    expect((await rpc("ge_none")).status).toBe(401);
    expect((await rpc(key, block, {}, "gnosis")).status).toBe(404);
    expect((await rpc(key, "{")).status).toBe(400);
    expect((await rpc(key, Array(101).fill(block))).status).toBe(400);
  });

  it.each([
    "eth_sendTransaction",
    "eth_sign",
    "eth_signTransaction",
    "eth_signTypedData_v4",
    "eth_accounts",
    "eth_newFilter",
    "eth_newBlockFilter",
    "eth_subscribe",
    "personal_unlockAccount",
    "anvil_mine",
    "debug_traceTransaction",
    "trace_block",
    "eth_CALL",
    "constructor",
    "\u202e\u001b[2J",
  ])("does not forward %j, alone or in a batch, and forwards the rest of the batch", async (method) => {
    const key = await create();
    const refused = { ...block, id: "mine", method };
    const answer = await rpc(key, refused);
    const error = { code: -32601, message: expect.stringContaining("do not forward the method") };
    expect([answer.status, answer.json]).toEqual([200, { jsonrpc: "2.0", id: "mine", error }]);
    const batch = await rpc(key, [refused, block, { ...refused, id: undefined }]);
    expect(batch.json).toEqual([
      { jsonrpc: "2.0", id: 1, result: "0x1" },
      { jsonrpc: "2.0", id: "mine", error },
    ]);
    // The server asks for the chain's id itself, before it uses the node's first answer.
    const received = node.requests.map(({ body }) => JSON.parse(String(body)).method);
    expect(received).toEqual(["eth_chainId", "eth_blockNumber"]);
  });

  it("forwards a signed transaction, and answers invalid requests with an error", async () => {
    const key = await create();
    const sent = { ...block, method: "eth_sendRawTransaction", params: ["0x00"] };
    expect((await rpc(key, sent)).json).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" });
    const odd = await rpc(key, [{ id: 7 }, 1, sent]);
    expect(odd.json).toEqual([
      { jsonrpc: "2.0", id: 1, result: "0x1" },
      { jsonrpc: "2.0", id: 7, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: "2.0", id: null, error: { code: -32600, message: expect.any(String) } },
    ]);
    // An id beyond the precision of a JavaScript number is returned unchanged.
    const long = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_sign"}';
    expect((await rpc(key, long)).text).toContain('"id":12345678901234567890,');
  });

  it("returns no content for notifications", async () => {
    const key = await create();
    const { id: _, ...notification } = block;
    for (const body of [notification, [notification], { ...notification, method: "eth_sign" }]) {
      const answer = await rpc(key, body);
      expect([answer.status, answer.text]).toEqual([204, ""]);
    }
    expect((await rpc(key, [notification, block])).json).toEqual([{ jsonrpc: "2.0", id: 1, result: "0x1" }]);
  });

  it("counts a rejected request neither against the rate limit nor as served", async () => {
    const key = await create({ rate_limit_budget: "edge-tier-unlimited-total-100rpm-per-ip" });
    const refused = { ...block, method: "eth_sign" };
    expect((await rpc(key, Array(100).fill(refused))).json).toHaveLength(100);
    expect((await rpc(key, Array(101).fill(refused))).status).toBe(400);
    expect((await rpc(key, "{")).status).toBe(400);
    expect((await rpc(key, [...Array(1).fill(refused), ...Array(99).fill(block)])).status).toBe(200);
    expect((await rpc(key)).status).toBe(200);
    expect((await rpc(key)).status).toBe(429);
    const { database } = platform.platform;
    await platform.close();
    const [row] = await database.query(
      SQL`select sum(requests) as requests, sum(errors) as errors from graphloom.edge_counts`,
    );
    expect(row).toEqual({ requests: "100", errors: "0" });
    platform = await startPlatform(database, {
      world: still,
      parts: [managementPart(), edgePart],
      wantsKey: true,
    });
  });

  it("has a key that opens neither the management API nor another product", async () => {
    const key = await create();
    expect((await platform.ask("/subgraphs", { key })).status).toBe(401);
    const data = await platform.ask("/edge", { method: "POST", body: { name: "data", product: "data" } });
    expect(data.json.warnings).toHaveLength(1);
    expect((await rpc(data.json.data.api_key)).status).toBe(403);
    expect((await rpc(platform.token)).status).toBe(401);
  });

  it("accepts only origins of its allowed domains", async () => {
    const key = await create({ allowed_domains: ["app.example", "*.wide.example"] });
    const from = async (origin?: string) => (await rpc(key, block, origin ? { origin } : {})).status;
    expect(await from("https://app.example")).toBe(200);
    expect(await from("https://a.wide.example")).toBe(200);
    expect(await from("https://other.example")).toBe(403);
    expect(await from("https://app.example.evil.example")).toBe(403);
    expect(await from()).toBe(403);
    for (const bad of ["https://a", "a b", "*", "a/*"]) {
      const answer = await platform.ask("/edge/app", { method: "PATCH", body: { allowed_domains: [bad] } });
      expect([bad, answer.status, answer.json.errors[0].field]).toEqual([bad, 400, "allowed_domains.0"]);
    }
  });

  it("rejects requests over its rate limit with a Retry-After, and counts each request of a batch", async () => {
    const key = await create({ rate_limit_budget: "edge-tier-unlimited-total-100rpm-per-ip" });
    expect((await rpc(key, Array(99).fill(block))).status).toBe(200);
    expect((await rpc(key, [block, block])).status).toBe(429);
    expect((await rpc(key)).status).toBe(200);
    const refused = await rpc(key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("counts an IPv6 /64 network as one client", async () => {
    const key = await create({ rate_limit_budget: "edge-tier-unlimited-total-100rpm-per-ip" });
    const from = async (address: string, calls: number) =>
      (await rpc(key, Array(calls).fill(block), { "x-forwarded-for": address })).status;
    expect(await from("2001:db8:0:1::1", 100)).toBe(200);
    expect(await from("2001:db8:0:1::2", 1)).toBe(429);
    expect(await from("2001:db8:0:2::2", 1)).toBe(200);
  });

  it("rejects all requests while it is paused", async () => {
    const key = await create();
    const paused = await platform.ask("/edge/app/pause", { method: "PUT" });
    expect(paused.json.data).toMatchObject({ status: "PAUSED", paused_at: expect.any(String) });
    expect((await rpc(key)).status).toBe(403);
    expect((await platform.ask("/edge/app/resume", { method: "PUT" })).json.data.status).toBe("ACTIVE");
    expect((await rpc(key)).status).toBe(200);
  });

  it("counts requests and errors, and keeps the counts across a restart of the server", async () => {
    const key = await create();
    await rpc(key, [block, block]);
    await rpc(key, { ...block, method: "eth_call" });
    const { database } = platform.platform;
    await platform.close();
    const [row] = await database.query(
      SQL`select sum(requests) as requests, sum(errors) as errors from graphloom.edge_counts`,
    );
    expect(row).toEqual({ requests: "3", errors: "1" });
    platform = await startPlatform(database, {
      world: still,
      parts: [managementPart(), edgePart],
      wantsKey: true,
    });
    const { data } = (await platform.ask("/edge/app/metrics?bucket_size=1d")).json;
    const total = (points: { value: number }[]) => points.reduce((sum, { value }) => sum + value, 0);
    expect([total(data.requests), total(data.errors)]).toEqual([3, 1]);
    const years = "/edge/app/metrics?from=1990-01-01T00:00:00Z&bucket_size=1m";
    expect((await platform.ask(years)).status).toBe(400);
    expect((await platform.ask("/edge/app/metrics?from=2990-01-01T00:00:00Z")).status).toBe(400);
  });

  it("gets its turn even while an endpoint with the same name in another project is busy", async () => {
    let isOpen: () => void = () => undefined;
    const gate = new Promise<void>((open) => {
      isOpen = open;
    });
    const order: string[] = [];
    await node.stop();
    node = await startDouble(async ({ body }) => {
      const { id, method, params } = JSON.parse(String(body));
      if (method === "eth_chainId") return json({ jsonrpc: "2.0", id, result: "0x1" });
      order.push(params[0]);
      await gate;
      return json({ jsonrpc: "2.0", id, result: "0x1" });
    });
    const { database } = platform.platform;
    await platform.close();
    platform = await startPlatform(database, {
      world: still,
      nodes: new Map([["mainnet", [node.url]]]),
      parts: [managementPart(), edgePart],
      wantsKey: true,
    });
    const waiting = () => platform.platform.nodes.of("mainnet")?.waiting;
    const other = await platform.addKey("Owner", "project_other");
    const ours = await create();
    const made = await platform.ask("/edge", { method: "POST", body: { name: "app" }, key: other });
    const ask = (key: string, who: string) =>
      rpc(key, { ...block, method: "eth_getCode", params: [who, "latest"] });
    const many = Array.from({ length: 40 }, (_, index) => ask(ours, `ours ${index}`));
    await expect.poll(() => [order.length, waiting()]).toEqual([16, 24]);
    const theirs = ask(made.json.data.api_key, "theirs");
    await expect.poll(waiting).toBe(25);
    isOpen();
    expect((await theirs).status).toBe(200);
    await Promise.all(many);
    // At most one of our requests goes before it, besides the 16 already running.
    expect(order.indexOf("theirs")).toBeGreaterThanOrEqual(16);
    expect(order.indexOf("theirs")).toBeLessThan(18);
  });

  it("waits while the server's requests to the nodes are used up", async () => {
    const { database } = platform.platform;
    await platform.close();
    platform = await startPlatform(database, {
      world: still,
      nodes: new Map([["mainnet", [node.url]]]),
      requestsPerSecond: 3,
      parts: [managementPart(), edgePart],
      wantsKey: true,
    });
    const key = await create();
    // With the server's question for the chain's id, these are three requests.
    expect((await rpc(key, [block, block])).json).toHaveLength(2);
    const leaving = new AbortController();
    const path = `${platform.address}/edge/rpc/mainnet?secret=${key}`;
    const late = fetch(path, { method: "POST", body: JSON.stringify(block), signal: leaving.signal });
    await expect.poll(() => platform.platform.nodes.of("mainnet")?.waiting).toBe(1);
    leaving.abort();
    await expect(late).rejects.toThrow();
    expect(node.requests).toHaveLength(2);
  });

  it("reports that a node is down without revealing its address", async () => {
    const key = await create();
    await node.stop();
    const answer = await rpc(key, { ...block, id: 77 });
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain("secret-of-the-node");
    node = await startDouble(() => json({}));
  });

  it("lists the networks for everyone, without the addresses of nodes", async () => {
    const { json: networks } = await platform.ask("/edge/networks", { key: undefined });
    expect(networks.data[0]).toMatchObject({ name: "mainnet" });
    const sources = await platform.ask("/edge/sources", { key: undefined });
    expect(sources.json.data[0].endpoint).toBe(`${platform.address}/edge/rpc/mainnet`);
    expect(sources.text).not.toContain("secret-of-the-node");
  });

  it("belongs to one project", async () => {
    await create();
    const key = await platform.addKey("Owner", "project_other");
    expect((await platform.ask("/edge/app", { key })).status).toBe(404);
    expect((await platform.ask("/edge/app/api-key", { key })).status).toBe(404);
    expect((await platform.ask("/edge", { method: "POST", body: { name: "app" }, key })).status).toBe(201);
  });
});
