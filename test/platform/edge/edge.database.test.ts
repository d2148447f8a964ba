import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { edgePart } from "../../../src/platform/edge/edge-part.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { onPglite, world } from "../../support/databases.js";
import { type DoubleServer, json, startDouble } from "../../support/double-server.js";
import { startPlatform, type TestPlatform } from "../../support/platform-server.js";

const databases = onPglite();
/** Time stands still: what is counted in a minute begins anew with the next. */
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
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) };
}

describe("An endpoint", () => {
  it("is made, shown, changed and deleted, and shows its key again", async () => {
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

  it("keeps its key in clear nowhere", async () => {
    const key = await create();
    const rows = await platform.platform.database.query("select * from graphloom.edge_endpoints");
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(key).toString("hex"));
  });

  it("passes on what its key may ask, and nothing without it", async () => {
    const key = await create();
    expect((await rpc(key)).json).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" });
    expect((await rpc(undefined, block, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await rpc(undefined, block, { "x-api-key": key })).status).toBe(200);
    expect((await rpc(undefined)).status).toBe(401);
    expect((await rpc("ge_none")).status).toBe(401);
    expect((await rpc(key, block, {}, "gnosis")).status).toBe(404);
    expect((await rpc(key, { ...block, method: "personal_unlockAccount" })).status).toBe(403);
    expect((await rpc(key, [block, { ...block, method: "anvil_mine" }])).status).toBe(403);
    expect((await rpc(key, "{")).status).toBe(400);
    expect((await rpc(key, Array(101).fill(block))).status).toBe(400);
    expect(node.requests.every(({ body }) => !/personal|anvil/.test(String(body)))).toBe(true);
  });

  it("opens nothing else: not the API, and not another product", async () => {
    const key = await create();
    expect((await platform.ask("/subgraphs", { key })).status).toBe(401);
    const data = await platform.ask("/edge", { method: "POST", body: { name: "data", product: "data" } });
    expect(data.json.warnings).toHaveLength(1);
    expect((await rpc(data.json.data.api_key)).status).toBe(403);
    expect((await rpc(platform.token)).status).toBe(401);
  });

  it("is for the pages of its domains", async () => {
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

  it("refuses what exceeds its budget, batches counted by their requests, and says how long", async () => {
    const key = await create({ rate_limit_budget: "edge-tier-unlimited-total-100rpm-per-ip" });
    expect((await rpc(key, Array(99).fill(block))).status).toBe(200);
    expect((await rpc(key, [block, block])).status).toBe(429);
    expect((await rpc(key)).status).toBe(200);
    const refused = await rpc(key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("answers nothing while it is paused", async () => {
    const key = await create();
    const paused = await platform.ask("/edge/app/pause", { method: "PUT" });
    expect(paused.json.data).toMatchObject({ status: "PAUSED", paused_at: expect.any(String) });
    expect((await rpc(key)).status).toBe(403);
    expect((await platform.ask("/edge/app/resume", { method: "PUT" })).json.data.status).toBe("ACTIVE");
    expect((await rpc(key)).status).toBe(200);
  });

  it("counts requests and those that failed, also over an end of the server", async () => {
    const key = await create();
    await rpc(key, [block, block]);
    await rpc(key, { ...block, method: "eth_call" });
    const { database } = platform.platform;
    await platform.close();
    const [row] = await database.query(
      "select sum(requests) as requests, sum(errors) as errors from graphloom.edge_counts",
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

  it("says that a node is away, and not where it is", async () => {
    const key = await create();
    await node.stop();
    const answer = await rpc(key, { ...block, id: 77 });
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain("secret-of-the-node");
    node = await startDouble(() => json({}));
  });

  it("tells anybody which networks there are, without the addresses of nodes", async () => {
    const { json: networks } = await platform.ask("/edge/networks", { key: undefined });
    expect(networks.data[0]).toMatchObject({ name: "mainnet" });
    const sources = await platform.ask("/edge/sources", { key: undefined });
    expect(sources.json.data[0].endpoint).toBe(`${platform.address}/edge/rpc/mainnet`);
    expect(sources.text).not.toContain("secret-of-the-node");
  });

  it("is that of one project", async () => {
    await create();
    const key = await platform.addKey("Owner", "project_other");
    expect((await platform.ask("/edge/app", { key })).status).toBe(404);
    expect((await platform.ask("/edge/app/api-key", { key })).status).toBe(404);
    expect((await platform.ask("/edge", { method: "POST", body: { name: "app" }, key })).status).toBe(201);
  });
});
