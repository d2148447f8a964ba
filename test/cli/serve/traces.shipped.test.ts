import { afterEach, beforeEach, expect, it } from "vitest";
import { useFolder } from "../../support/folder.js";
import { type OtlpCollector, startOtlpCollector } from "../../support/server/otlp-collector.js";
import { until } from "../../support/until.js";
import { graphloom } from "../harness.js";
import { demoFiles, type PlayedNode, type Served, startPlayedNode, startServed } from "./served.js";

const nodeKey = "nodekey0123456789abcdef";
const home = useFolder();
let node: PlayedNode;
let collector: OtlpCollector;

beforeEach(async () => {
  node = await startPlayedNode(nodeKey);
  collector = await startOtlpCollector();
});
afterEach(async () => {
  await node.stop();
  await collector.stop();
});

/** A server with the demo's node, ended by its signal. @returns how it ended */
async function serving(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  work: (served: Served) => Promise<void>,
): Promise<string> {
  const served = await startServed(["--data", home, ...args], home, {
    GRAPHLOOM_RPC_SEPOLIA: node.url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    ...env,
  });
  await work(served);
  served.child.kill("SIGTERM");
  expect(await served.ended).toBe(0);
  return served.printed().err;
}

it("a server sends what it does to the collector of its environment, without queries, keys and addresses", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address };
  let token = "";
  await serving([], env, async (served) => {
    token = served.token;
    await served.deploy(await demoFiles());
    await served.indexed(node.head());
    await served.query("{ secretalias: _meta { block { number } } }");
    await until(() => collector.spans.some(({ name }) => name === "query"));
  });
  const { spans } = collector;
  const names = new Set(spans.map(({ name }) => name));
  expect([...names]).toEqual(expect.arrayContaining(["query", "index blocks", "node request"]));
  const query = spans.find(({ name }) => name === "query");
  const parent = spans.find(({ spanId }) => spanId === query?.parentId);
  expect(parent?.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/subgraphs/*",
    "http.response.status_code": 200,
  });
  expect(parent?.traceId).toBe(query?.traceId);
  const last = spans.flatMap(({ name, attributes }) =>
    name === "index blocks" ? [Number(attributes["graphloom.block.last"])] : [],
  );
  expect(Math.max(...last)).toBe(node.head());
  const sent = Buffer.concat(collector.bodies).toString("latin1");
  for (const secret of ["secretalias", token, nodeKey, "127.0.0.1", home]) expect(sent).not.toContain(secret);
});

it("a server works as before while the collector hangs, and ends in order", async () => {
  collector.mode = "hangs";
  const told = await serving(["--otlp-endpoint", collector.address], {}, async (served) => {
    await until(async () => {
      expect((await served.ask("/ready")).status).toBe(200);
      return collector.bodies.length > 0;
    });
  });
  expect(told).not.toContain("unexpected failure");
});

it("a server without a collector does not load the SDK", async () => {
  const env = { NODE_DEBUG: "esm", OTEL_SERVICE_NAME: "unused" };
  const told = await serving([], env, async () => undefined);
  expect(told).toContain("serve-subgraphs.js");
  expect(told).not.toContain("opentelemetry");
});

it.each([
  ["--otlp-endpoint localhost:4318", "--otlp-endpoint must start with http:// or https://"],
  ["--otlp-endpoint http://key@a.example", "--otlp-endpoint must start with http:// or https://"],
])("%s is refused before the server starts", async (words, message) => {
  const { code, err } = await graphloom(home, `serve --data d ${words}`);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
