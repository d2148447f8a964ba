import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createMemoryStore, openChain, plainEntity, readBuilt, run } from "../../../src/exports/index.js";
import { useFolder } from "../../support/folder.js";
import { until } from "../../support/until.js";
import { demoFiles, type PlayedNode, type Served, startPlayedNode, startServed } from "./served.js";

const key = "key";
/** Each server continues where the last one stopped. */
const home = useFolder();
let files: ReadonlyMap<string, string | Uint8Array>;
let node: PlayedNode;
let served: Served;

beforeAll(async () => {
  files = await demoFiles();
  node = await startPlayedNode(key);
  served = await start();
  await served.deploy(files);
  await served.indexed(node.head());
}, 300_000);
beforeEach(async () => {
  if (served.child.exitCode !== null || served.child.signalCode !== null) served = await start();
}, 300_000);
afterEach(() => node.release());
afterAll(async () => {
  served.child.kill("SIGKILL");
  await served.ended;
  await node.stop();
});

const start = (): Promise<Served> => startServed(["--data", "data", "--rpc", `sepolia=${node.url}`], home);

let uninterrupted: ReturnType<typeof createMemoryStore> | undefined;

/** The ids of trades in an uninterrupted run in memory, which continues each time. */
async function expected(): Promise<readonly string[]> {
  const built = readBuilt({ manifest: "build/subgraph.yaml", files });
  uninterrupted ??= createMemoryStore(built);
  const store = uninterrupted;
  const { failure } = await run(built, openChain(node.url), store, {});
  if (failure) throw failure.error;
  return (await store.all("Trade")).map((trade) => String(plainEntity(trade).id)).sort();
}

/** Waits until everything is indexed, and compares it. */
async function expectWhole(): Promise<void> {
  await served.indexed(node.head());
  const { trades } = await served.query("{ trades(first: 1000) { id } }");
  const ids = (trades as readonly { readonly id: string }[]).map(({ id }) => id).sort();
  expect(ids.length).toBeGreaterThan(10);
  expect(ids).toEqual(await expected());
}

/** Adds blocks whose indexing lasts until the node is released. */
async function busy(): Promise<void> {
  node.hold();
  node.advance(20);
  await until(() => node.held() > 0);
}

/** Starts a request whose body waits until the returned function is called. */
async function half(): Promise<{ finish(): void; readonly outcome: Promise<string> }> {
  const body = JSON.stringify({ query: "{ _meta { deployment } }" });
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.length),
    // The server has seen the request once it asks for the body.
    expect: "100-continue",
  };
  const sent = httpRequest(`${served.address}/subgraphs/name/demo/1.0.0`, { method: "POST", headers });
  const outcome = new Promise<string>((resolve) => {
    sent.once("response", (answer) => {
      const { statusCode, headers } = answer.resume();
      resolve(`${statusCode}, ${headers.connection}`);
    });
    sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
  });
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write(body.slice(0, 5));
  return { outcome, finish: () => sent.end(body.slice(5)) };
}

it("SIGTERM during indexing and a request: the server answers and keeps its data whole", async () => {
  await busy();
  const request = await half();
  served.child.kill("SIGTERM");
  await until(() => served.printed().err.includes('"msg":"Shutting down: '));
  // No new connection is accepted.
  await until(async () =>
    fetch(`${served.address}/health`).then(
      () => false,
      () => true,
    ),
  );
  request.finish();
  // No client keeps a connection that the server would wait for.
  expect([await request.outcome, await served.ended]).toEqual(["200, close", 0]);
  node.release();
  served = await start();
  // The query that it answered last is in the history.
  const signedIn = await served.ask("/sign-in", {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: served.address },
    body: `key=${encodeURIComponent(served.token)}`,
  });
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(";")[0]);
  const page = await served.ask("/dashboard/demo/1.0.0?range=1h", { headers: { cookie: cookie.join("; ") } });
  expect(await page.text()).toMatch(/<title>Queries per second in the last hour: at most 0\.0\d/);
  await expectWhole();
}, 300_000);

it.each([
  "SIGTERM",
  "SIGINT",
] as const)("a second signal, %s, stops the server at once during any work", async (signal) => {
  await busy();
  const request = await half();
  served.child.kill("SIGTERM");
  await until(() => served.printed().err.includes('"msg":"Shutting down: '));
  served.child.kill(signal);
  expect([await served.ended, await request.outcome]).toEqual([130, "ECONNRESET"]);
}, 300_000);

it("a server killed during indexing continues after a restart", async () => {
  await busy();
  served.child.kill("SIGKILL");
  expect(await served.ended).toBe("SIGKILL");
  node.release();
  served = await start();
  await expectWhole();
}, 300_000);
