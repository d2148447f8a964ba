import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createMemoryStore, openChain, plainEntity, readBuilt, run } from "../../../src/exports/index.js";
import { testFolder } from "../../support/folder.js";
import { until } from "../../support/until.js";
import { demoFiles, type PlayedNode, type Served, startPlayedNode, startServed } from "./served.js";

const key = "key";
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

let uninterrupted: ReturnType<typeof createMemoryStore> | undefined;

/** The ids of trades as an uninterrupted run in memory has them, which goes on each time. */
async function expected(): Promise<readonly string[]> {
  const built = readBuilt({ manifest: "build/subgraph.yaml", files });
  uninterrupted ??= createMemoryStore(built);
  const store = uninterrupted;
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
