import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../../support/database/databases.js";
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { testFolder, useFolder } from "../../support/folder.js";
import { readExposition, type Sample, sampleValue } from "../../support/server/exposition.js";
import { startReceiver, type WebhookReceiver } from "../../support/server/webhook-receiver.js";
import { until } from "../../support/until.js";
import { command } from "../process.js";
import { demoFiles, type PlayedNode, type Served, startPlayedNode, startServed } from "./served.js";

const nodeKey = "nodekey0123456789abcdef";
const hookSecret = "hook-secret-0123456789";
const hookKey = "hookkey0123456789abcdef";
const password = "databasepassword0123456789";
const wrongKey = "gl_wrong-0123456789abcdefghijklmnop";

let postgres: PostgresServer;
let node: PlayedNode;
let receiver: WebhookReceiver;
let served: Served;
let secretKey: string;
let edgeKey = "";
const address = (): string => postgres.address("served").replace("postgres@", `postgres:${password}@`);
const home = useFolder();

const describeIt = it.skipIf(postgresMissing !== undefined);

beforeAll(async () => {
  if (postgresMissing !== undefined) return;
  postgres = await startPostgres();
  await createDatabase(postgres, "served");
  node = await startPlayedNode(nodeKey);
  receiver = await startReceiver();
  secretKey = "ab".repeat(32);
  served = await startServed(
    // Behind a proxy, webhooks only reach listed private addresses, and metrics require a key.
    [
      "--trust-proxy",
      "127.0.0.1",
      "--reachable",
      new URL(receiver.url).host,
      "--reachable",
      "10.9.0.0/16",
      "--log-level",
      "debug",
    ],
    home,
    {
      GRAPHLOOM_SECRET_KEY: secretKey,
      GRAPHLOOM_DATABASE: address(),
      GRAPHLOOM_RPC_SEPOLIA: node.url,
    },
  );
  await served.deploy(await demoFiles());
  // Beyond the blocks that are held back.
  node.advance(60);
  await served.indexed(0);
}, 300_000);
afterAll(async () => {
  served?.child.kill("SIGKILL");
  await served?.ended;
  await node?.stop();
  await receiver?.stop();
  await postgres?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
const jsonOf = async (answer: Response): Promise<any> => answer.json();

const metrics = async (): Promise<readonly Sample[]> => {
  const answer = await served.ask("/metrics");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return readExposition(await answer.text());
};

const post = (path: string, body: unknown, headers = {}): Promise<Response> =>
  served.ask(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** Addresses can contain keys here. */
const edge = (key: string, call: unknown): Promise<Response> =>
  fetch(`${served.address}/edge/rpc/sepolia?secret=${key}`, { method: "POST", body: JSON.stringify(call) });

describeIt(
  "metrics report the state of a deployment, its queries, its node and its database",
  async () => {
    const hook = { name: "trades", subgraph_name: "demo", subgraph_version: "1.0.0", entity: "trade" };
    const limits = { num_retries: 1, retry_interval_seconds: 1, retry_timeout_seconds: 5 };
    // One failure is retried after a second. Many would make the server leave the receiver alone for a minute.
    let failures = 0;
    receiver.judge(() => (failures++ === 0 ? 500 : undefined));
    const made = await until(async () => {
      const answer = await post("/api/v1/subgraphs/webhooks", {
        ...hook,
        ...limits,
        secret: hookSecret,
        webhook_url: `${receiver.url}?key=${hookKey}`,
      });
      return answer.ok && jsonOf(answer);
    });
    expect(made.data.webhook_secret).toBe(hookSecret);
    const { data } = await jsonOf(await post("/api/v1/edge", { name: "app" }));
    const revealed = await jsonOf(await served.ask(`/api/v1/edge/${data.name}/api-key`));
    edgeKey = revealed.data.api_key;
    const call = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
    expect((await edge(edgeKey, call)).status).toBe(200);

    await until(async () => {
      const ended = await metrics();
      // Trades are delivered once they are final, tens of blocks later. The chain does not run away from a slow server.
      if (sampleValue(ended, "graphloom_deployment_head_block") === node.head()) node.advance(10);
      return ["retried", "delivered"].every(
        (outcome) => (sampleValue(ended, "graphloom_webhook_deliveries_total", { outcome }) ?? 0) > 0,
      );
    });
    await until(async () => {
      const all = await metrics();
      const isThere = sampleValue(all, "graphloom_deployment_head_block") === node.head();
      return isThere && sampleValue(all, "graphloom_deployment_synced") === 1;
    });
    const first = await served.query("{ trades(first: 2) { id } }");
    expect(await served.query("{ trades(first: 2) { id } }")).toEqual(first);
    const samples = await metrics();
    const value = (name: string, labels = {}): number | undefined =>
      sampleValue(samples, `graphloom_${name}`, labels);
    const ofDemo = { name: "demo/1.0.0", network: "sepolia" };
    expect(value("deployments", { health: "healthy", paused: "no" })).toBe(1);
    expect(value("deployments", { health: "failed", paused: "no" })).toBe(0);
    expect(value("deployment_head_block", ofDemo)).toBeGreaterThan(8_214_304);
    expect(value("deployment_lag_blocks", ofDemo)).toBe(
      Math.max(
        0,
        Number(value("deployment_chain_head_block", ofDemo)) - Number(value("deployment_head_block", ofDemo)),
      ),
    );
    expect(value("deployment_handlers_per_second", ofDemo)).toBeGreaterThanOrEqual(0);
    const answered = ["engine", "memory"].map((by) => value("queries_total", { answered_by: by }));
    expect(answered).toEqual([1, 1]);
    expect(value("node_requests_total", { network: "sepolia", outcome: "answered" })).toBeGreaterThan(0);
    expect(value("node_calls_total", { network: "sepolia", answered_by: "node" })).toBeGreaterThan(0);
    expect(value("webhook_deliveries_total", { outcome: "retried" })).toBeGreaterThan(0);
    expect(value("webhook_outbox_events")).toBeGreaterThanOrEqual(0);
    expect(value("database_up")).toBe(1);
    expect(value("engine_up", { engine: "embedded" })).toBe(1);
    expect(value("database_connections_limit")).toBe(10);
    expect(sampleValue(samples, "process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
    const deployed = { method: "PUT", route: "/api/v1/subgraphs/:name/deployments/:version" };
    expect(value("http_requests_total", deployed)).toBe(1);
    expect(value("http_request_duration_seconds_count", deployed)).toBe(1);
  },
  300_000,
);

describeIt("metrics have no labels that clients make up", async () => {
  const ask = async (word: string): Promise<readonly Sample[]> => {
    for (const path of [`/${word}`, `/api/errors/${word}`, `/api/v1/subgraphs/${word}`])
      await served.ask(`${path}?key=${wrongKey}`, { headers: { "user-agent": word } });
    return metrics();
  };
  const before = await ask("made-up-once");
  const after = await ask("made-up-again");
  expect(sampleValue(after, "graphloom_http_requests_total", { route: "none", status: "404" })).toBe(2);
  expect(JSON.stringify(after)).not.toContain("made-up");
  const series = (all: readonly Sample[]) =>
    all.filter(({ name }) => name.startsWith("graphloom_http")).map(({ name, labels }) => ({ name, labels }));
  expect(series(after)).toEqual(series(before));
});

describeIt("the start warns about every port that is open, and not about a single one", () => {
  const { err } = served.printed();
  expect(err).toContain("--reachable 10.9.0.0/16 opens every port there");
  expect(err).toContain("--reachable 10.9.0.0/16:5432");
  expect(err).not.toContain(`--reachable ${new URL(receiver.url).host}`);
});

describeIt("metrics require a key when other machines can reach the server", async () => {
  const none = await fetch(`${served.address}/metrics`);
  expect([none.status, (await jsonOf(none)).type]).toEqual([401, expect.stringMatching(/unauthorized$/)]);
});

describeIt("metrics drop a deployment that is deleted", async () => {
  expect(sampleValue(await metrics(), "graphloom_queries_total")).toBeGreaterThan(0);
  expect((await served.ask("/api/v1/subgraphs/webhooks/trades", { method: "DELETE" })).status).toBe(200);
  const gone = await served.ask("/api/v1/subgraphs/demo/deployments/1.0.0", { method: "DELETE" });
  expect(gone.status).toBe(200);
  const left = await metrics();
  expect(left.filter(({ labels }) => labels.deployment !== undefined)).toEqual([]);
});

describeIt(
  "the log never contains a secret, and every line of it is a JSON object",
  async () => {
    await served.deploy(await demoFiles());
    const bad = [401, 403, 400, 404, 422];
    for (const path of ["/api/v1/subgraphs", `/api/v1/subgraphs/webhooks?token=${served.token}`])
      expect(bad).toContain(
        (await served.ask(path, { headers: { authorization: `Bearer ${wrongKey}` } })).status,
      );
    expect((await post("/api/v1/subgraphs/webhooks", `{ "secret": "${hookSecret}" `)).status).toBe(400);
    const broken = { webhook_url: `ftp://user:${hookSecret}@x/${hookKey}`, secret: 5 };
    expect((await post("/api/v1/subgraphs/webhooks", broken)).status).toBe(400);
    const key = encodeURIComponent(served.token);
    await served.ask(`/sign-in?code=${key}`, { redirect: "manual" });
    const form = { "content-type": "application/x-www-form-urlencoded", origin: served.address };
    await post("/sign-in", `key=${key}`, form);
    expect((await edge(wrongKey, {})).status).toBe(401);
    const call = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["0x7d6000", false] };
    node.isBroken = true;
    const refused = await edge(edgeKey, call);
    expect([refused.status, await refused.text()]).toEqual([503, expect.not.stringContaining(nodeKey)]);
    node.isBroken = false;
    // Everything that needs the database now fails and reports it.
    await postgres.stop();
    expect((await served.ask("/ready")).status).toBe(503);
    expect((await served.ask("/metrics")).status).toBe(503);
    served.child.kill("SIGTERM");
    // Until then, the server may print more.
    await served.ended;
    const { out, err } = served.printed();
    const secrets = [served.token, hookSecret, hookKey, nodeKey, password, secretKey, edgeKey, wrongKey];
    expect(secrets.every((secret) => secret.length > 15)).toBe(true);
    expect(secrets.filter((secret) => (out + err).includes(secret))).toEqual([]);
    const lines = (out + err).split("\n").filter((line) => line !== "");
    const levels = new Set(lines.map((line) => JSON.parse(line).level));
    expect([...levels].sort()).toEqual(["debug", "error", "info", "warn"]);
    expect(lines.length).toBeGreaterThan(30);
    expect(err).toContain('"path":"/edge/rpc/sepolia"');
  },
  300_000,
);

describeIt("a server that cannot start prints no secret", async () => {
  const wrong = `postgres://postgres:${password}@127.0.0.1:1/served`;
  const { code, out, err } = await command(["serve", "--data", "x", "--database", wrong], {
    cwd: testFolder(),
    env: { GRAPHLOOM_RPC_SEPOLIA: `http://127.0.0.1:1/v3/${nodeKey}` },
  });
  expect([code, out]).toEqual([3, ""]);
  expect(err).toContain("127.0.0.1");
  expect([password, nodeKey].filter((secret) => err.includes(secret))).toEqual([]);
});
