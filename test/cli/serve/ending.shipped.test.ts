import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createMemoryStore, openChain, plainEntity, readBuilt, run } from "../../../src/exports/index.js";
import { unreliable } from "../../platform/webhooks/chaos.js";
import { testFolder } from "../../support/folder.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property-run.js";
import { until } from "../../support/until.js";
import { startReceiver } from "../../support/webhook-receiver.js";
import { demoFiles, type PlayedNode, type Served, startPlayedNode, startServed } from "./served.js";

const key = "key";
/** How often the server is killed while it tells a receiver: three times in the campaign of webhooks. */
const kills = process.env.GRAPHLOOM_WEBHOOK_CHANGES === undefined ? 1 : 3;
let files: ReadonlyMap<string, string | Uint8Array>;
let node: PlayedNode;
let served: Served;
let home: string;

beforeAll(async () => {
  files = await demoFiles();
  node = await startPlayedNode(key);
}, 300_000);
afterAll(() => node.stop());
beforeEach(async () => {
  home = testFolder();
  served = await start();
  return async () => {
    served.child.kill("SIGKILL");
    await served.ended;
    node.release();
  };
});

const start = (): Promise<Served> => startServed(["--data", "data", "--rpc", `sepolia=${node.url}`], home);

/** The ids of trades as an uninterrupted run in memory has them. */
async function expected(): Promise<readonly string[]> {
  const built = readBuilt({ manifest: "build/subgraph.yaml", files });
  const store = createMemoryStore(built);
  const { failure } = await run(built, openChain(node.url), store, {});
  if (failure) throw failure.error;
  return (await store.all("Trade")).map((trade) => String(plainEntity(trade).id)).sort();
}

/** Waits until everything that is there is indexed, and compares it. */
async function expectWhole(): Promise<void> {
  await served.indexed(node.head());
  const { trades } = await served.query("{ trades(first: 1000) { id } }");
  const ids = (trades as readonly { readonly id: string }[]).map(({ id }) => id).sort();
  expect(ids.length).toBeGreaterThan(10);
  expect(ids).toEqual(await expected());
}

/** Begins a request, whose body waits until the answer of this is called. */
async function half(): Promise<{ finish(): void; readonly status: Promise<number | string> }> {
  const body = JSON.stringify({ query: "{ _meta { deployment } }" });
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.length),
    // The server has seen the request when it says that it wants to go on.
    expect: "100-continue",
  };
  const sent = httpRequest(`${served.address}/subgraphs/name/demo/1.0.0`, { method: "POST", headers });
  const status = new Promise<number | string>((resolve) => {
    sent.once("response", (answer) => resolve(answer.resume().statusCode ?? 0));
    sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
  });
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write(body.slice(0, 5));
  return { status, finish: () => sent.end(body.slice(5)) };
}

it("SIGTERM while blocks are indexed and a request is under way: it is answered, and all is whole", async () => {
  await served.deploy(files);
  await served.indexed(node.head());
  node.hold();
  node.advance(20);
  await until(() => node.held() > 0);
  const request = await half();
  served.child.kill("SIGTERM");
  await until(() => served.printed().err.includes('"msg":"Ending: '));
  // Nobody else is let in.
  await until(async () =>
    fetch(`${served.address}/health`).then(
      () => false,
      () => true,
    ),
  );
  request.finish();
  expect([await request.status, await served.ended]).toEqual([200, 0]);
  node.release();
  served = await start();
  await expectWhole();
}, 300_000);

it.each([
  "SIGTERM",
  "SIGINT",
] as const)("another %s ends it at once, whatever is under way", async (signal) => {
  await served.deploy(files);
  const request = await half();
  served.child.kill("SIGTERM");
  await until(() => served.printed().err.includes('"msg":"Ending: '));
  served.child.kill(signal);
  expect([await served.ended, await request.status]).toEqual([130, "ECONNRESET"]);
}, 300_000);

it("killed while blocks are indexed, it starts again and goes on", async () => {
  await served.deploy(files);
  await served.indexed(node.head());
  node.hold();
  node.advance(20);
  await until(() => node.held() > 0);
  served.child.kill("SIGKILL");
  expect(await served.ended).toBe("SIGKILL");
  node.release();
  served = await start();
  await expectWhole();
}, 300_000);

it("killed, it tells a receiver that fails, hangs and lies of everything", async () => {
  const receiver = await startReceiver();
  receiver.judge(unreliable(drawFrom(propertySeed)));
  try {
    await served.deploy(files);
    const body = JSON.stringify({
      ...{ name: "trades", subgraph_name: "demo", subgraph_version: "1.0.0", entity: "trade" },
      ...{ webhook_url: receiver.url, from_start: true },
      ...{ num_retries: 10, retry_interval_seconds: 1, retry_timeout_seconds: 2 },
    });
    const headers = { "content-type": "application/json" };
    const made = await served.ask("/api/v1/subgraphs/webhooks", { method: "POST", headers, body });
    expect([made.status, await made.text()]).toEqual([200, expect.stringContaining("trades")]);
    for (let killed = 0; killed < kills; killed++) {
      const arrived = receiver.arrived();
      node.advance(20);
      await until(() => receiver.arrived() > arrived + 5);
      served.child.kill("SIGKILL");
      expect(await served.ended).toBe("SIGKILL");
      served = await start();
    }
    await expectWhole();
    const { trades } = await served.query("{ trades(first: 1000, orderBy: id) { id transactionHash_ } }");
    const told = (): unknown =>
      [...receiver.table().values()]
        .map(({ id, transaction_hash }) => ({ id, transactionHash_: transaction_hash }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    await expect.poll(told, { timeout: 120_000, interval: 500 }).toEqual(trades);
    const ids = new Set(receiver.taken.map(({ id }) => id));
    expect(receiver.arrived()).toBeGreaterThan(ids.size);
  } finally {
    await receiver.stop();
  }
}, 600_000);
