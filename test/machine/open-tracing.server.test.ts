import { AsyncResource } from "node:async_hooks";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Tracing } from "../../src/base/tracing.js";
import { openTracing } from "../../src/machine/open-tracing.js";
import { createNodeWorld } from "../../src/machine/world.js";
import {
  type CollectedSpan,
  type OtlpCollector,
  startOtlpCollector,
} from "../support/server/otlp-collector.js";
import { until } from "../support/until.js";

let collector: OtlpCollector;
let warnings: string[];

beforeEach(async () => {
  collector = await startOtlpCollector();
  warnings = [];
  vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "10");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector.stop();
});

function open(endpoint = collector.address): Tracing {
  const warn = (sentence: string): void => void warnings.push(sentence);
  return openTracing({ endpoint, version: "1.2.3", world: createNodeWorld(), warn });
}

/** The only span with a name. */
function named(name: string): CollectedSpan {
  const found = collector.spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] as CollectedSpan;
}

it("work within a request is its child, also after the request has waited", async () => {
  const tracing = open();
  const { meters } = tracing;
  const request = tracing.begin("POST", undefined);
  await new Promise<void>((resolve) =>
    request.within(async () => {
      meters.queried?.("QmA", "engine", 0.5);
      await new Promise(setImmediate);
      meters.askedNode?.("mainnet", "away", 0.25, "http://node.example", "why");
      resolve();
    }),
  );
  request.end({ route: "/subgraphs/id/:id", status: 200 });
  meters.delivered?.("retried", 2);
  meters.indexed?.({ deployment: "QmA", network: "mainnet", after: 4, last: 9, seconds: 3 });
  meters.moved?.({ project: "p", pipeline: "n", sink: "s", rows: 7, batches: 2, seconds: 1 });
  await tracing.close();
  const http = named("POST /subgraphs/id/:id");
  expect(http).toMatchObject({
    parentId: "",
    kind: 2,
    status: 0,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/subgraphs/id/:id",
      "http.response.status_code": 200,
    },
    resource: { "service.name": "graphloom", "service.version": "1.2.3" },
  });
  const query = named("query");
  expect([query.parentId, query.traceId, query.status]).toEqual([http.spanId, http.traceId, 0]);
  expect(query.attributes).toEqual({ "graphloom.deployment": "QmA", "graphloom.answered_by": "engine" });
  expect(query.duration).toBeCloseTo(500, 0);
  const asked = named("node request");
  expect([asked.parentId, asked.kind, asked.status]).toEqual([http.spanId, 3, 2]);
  expect(asked.attributes).toEqual({ "graphloom.network": "mainnet", "graphloom.outcome": "away" });
  expect(named("webhook delivery")).toMatchObject({ parentId: "", kind: 3, status: 2 });
  expect(named("index blocks").attributes).toEqual({
    "graphloom.deployment": "QmA",
    "graphloom.network": "mainnet",
    "graphloom.block.after": 4,
    "graphloom.block.last": 9,
  });
  expect(named("write rows").attributes).toEqual({
    "graphloom.project": "p",
    "graphloom.pipeline": "n",
    "graphloom.sink": "s",
    "graphloom.rows": 7,
    "graphloom.batches": 2,
  });
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(4);
  expect(warnings).toEqual([]);
});

it("what a request has started does not belong to it once the request is over", async () => {
  const tracing = open();
  const request = tracing.begin("GET", undefined);
  let later = (): void => undefined;
  request.within(() => {
    later = AsyncResource.bind(() => tracing.meters.delivered?.("delivered", 1));
  });
  request.end({ route: "none", status: 503 });
  later();
  await tracing.close();
  expect(named("GET")).toMatchObject({ status: 2 });
  expect(named("GET").attributes).not.toHaveProperty("http.route");
  expect(named("webhook delivery").parentId).toBe("");
});

it("a client's own trace is linked, and does not decide what is sent", async () => {
  const tracing = open();
  const theirs = "0af7651916cd43dd8448eb211c80319c";
  // The last digit says that the client keeps nothing of this trace.
  tracing.begin("GET", `00-${theirs}-b7ad6b7169203331-00`).end({ route: "/health", status: 200 });
  tracing.begin("GET", "00-nonsense").end({ route: "/ready", status: 200 });
  await tracing.close();
  const { links, parentId, traceId } = named("GET /health");
  expect([links, parentId, traceId === theirs]).toEqual([[theirs], "", false]);
  expect(named("GET /ready").links).toEqual([]);
});

it("the variables of OpenTelemetry name the collector, its keys, the service and a sampler", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address);
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k1");
  vi.stubEnv("OTEL_SERVICE_NAME", "indexer");
  vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test");
  const options = { version: "1.2.3", world: createNodeWorld(), warn: () => undefined };
  const tracing = openTracing(options);
  tracing.begin("GET", undefined).end({ route: "/health", status: 200 });
  await tracing.close();
  expect(collector.headers[0]).toMatchObject({ "api-key": "k1", "content-type": "application/x-protobuf" });
  expect(named("GET /health").resource).toMatchObject({
    "service.name": "indexer",
    "deployment.environment": "test",
  });
  vi.stubEnv("OTEL_TRACES_SAMPLER", "always_off");
  const silent = openTracing(options);
  silent.begin("GET", undefined).end({ route: "/ready", status: 200 });
  await silent.close();
  expect(collector.spans).toHaveLength(1);
});

it("a collector that hangs costs a bounded queue, and does not hold up the end", async () => {
  collector.mode = "hangs";
  const tracing = open();
  for (let count = 0; count < 20_000; count++) tracing.meters.delivered?.("delivered", 1);
  await until(() => collector.bodies.length > 0);
  for (let count = 0; count < 20_000; count++) tracing.meters.delivered?.("delivered", 1);
  await tracing.close();
  // The batch under way, and what the queue can have.
  const sent = collector.bodies.reduce((sum, { length }) => sum + length, 0);
  expect(collector.bodies.length).toBeLessThanOrEqual(1 + 2_048 / 512);
  expect(sent).toBeLessThan(1_000_000);
});

it("a collector that is away or refuses causes one warning, without its answer", async () => {
  const gone = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => gone.once("listening", resolve));
  const address = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise((resolve) => gone.close(resolve));
  const away = open(address);
  away.meters.delivered?.("delivered", 1);
  await until(() => warnings.length > 0);
  await away.close();
  expect(warnings).toEqual([
    expect.stringMatching(/^Traces cannot be sent to the collector: .+\. Spans are dropped\.$/),
  ]);
  collector.mode = "refuses";
  const refused = open();
  for (const name of ["delivered", "failed"] as const) {
    const before = collector.bodies.length;
    refused.meters.delivered?.(name, 1);
    await until(() => collector.bodies.length > before);
  }
  await refused.close();
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).not.toContain("refused");
});
