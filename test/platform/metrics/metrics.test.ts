import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Engine, Hosting } from "../../../src/hosting/engine.js";
import { createApp } from "../../../src/platform/http/app.js";
import { metricsPart } from "../../../src/platform/metrics/metrics-part.js";
import { createServerMetrics } from "../../../src/platform/metrics/server-metrics.js";
import { type Database, DatabaseError } from "../../../src/store/database/database.js";
import { readExposition, sampleValue } from "../../support/server/exposition.js";
import { queryPlatform } from "../../support/server/query-hosting.js";

const build = {
  deployment: "QmA",
  network: "mainnet",
  engine: "away",
  name: 'odd"name\\/1',
  is_paused: "t",
  is_shared: "f",
};

const key = "a-key-that-reads-all";

/** What a database with one build answers, and with the rows of pipelines. */
function answering(
  outbox: Record<string, string | null>,
  pipelines: readonly Record<string, string | null>[] = [],
): Database["query"] {
  return async (statement) => {
    if (statement.includes("graphloom.pipelines")) return pipelines;
    return statement.includes("builds") ? [build] : [outbox];
  };
}

/** Reads `/metrics` of a server with a fake database and engine. */
async function scrape(query: Database["query"], status: Engine["status"]) {
  const metrics = createServerMetrics();
  const nodes: Engine["nodes"] = async () => [
    { network: "mainnet", isUp: true, head: 149, headAt: 1_700_000_060_000 },
  ];
  const engine: Partial<Engine> = { name: "away", networks: ["mainnet"], status, nodes };
  const hosting = { engines: [engine] } as unknown as Hosting;
  const freeBytes = (): number => 12_345;
  const platform = { ...queryPlatform({ query, freeBytes } as Database, hosting), meters: metrics.meters };
  const { routes = [] } = await metricsPart(metrics, { isOpen: true, key })(platform);
  const app = await createApp(platform, [routes].flat());
  metrics.meters.queried("QmA", "memory", 0.01);
  metrics.meters.queried("QmGone", "engine", 0.01);
  const answer = await app.inject({ url: "/metrics", headers: { authorization: `Bearer ${key}` } });
  await app.close();
  expect(answer.statusCode).toBe(200);
  return readExposition(answer.body);
}

describe("metrics", () => {
  it("report that the database does not answer", async () => {
    const samples = await scrape(
      () => Promise.reject(new DatabaseError("away")),
      async () => new Map(),
    );
    expect(sampleValue(samples, "graphloom_database_up")).toBe(0);
    expect(sampleValue(samples, "graphloom_database_free_bytes")).toBe(12_345);
    expect(samples.filter(({ name }) => /outbox|engine|deployments/.test(name))).toEqual([]);
    expect(sampleValue(samples, "graphloom_queries_total", { deployment: "QmA" })).toBe(1);
  });

  it("report that an engine does not answer, and still count its deployments", async () => {
    const samples = await scrape(answering({ events: "3", age: "1.5" }), () =>
      Promise.reject(new Error("the graph-node is away")),
    );
    const value = (name: string, labels = {}) => sampleValue(samples, `graphloom_${name}`, labels);
    expect([value("database_up"), value("engine_up", { engine: "away" })]).toEqual([1, 0]);
    expect(value("deployments", { health: "unknown", paused: "yes" })).toBe(1);
    expect([value("webhook_outbox_events"), value("webhook_outbox_oldest_seconds")]).toEqual([3, 1.5]);
    expect(value("deployment_head_block")).toBeUndefined();
  });

  it("escape the name of a deployment, and drop the counts of deployments that are gone", async () => {
    const samples = await scrape(
      answering({ events: "0", age: null }),
      async () =>
        new Map([
          [
            "QmA",
            {
              health: "failed" as const,
              isSynced: false,
              nonFatalErrors: [],
              startBlock: 100,
              headTimestamp: 1_700_000_000,
              chainHeadBlock: 149,
              waitsSince: 1_700_000_030_500,
            },
          ],
        ]),
    );
    expect(samples.find(({ name }) => name === "graphloom_deployment_lag_blocks")).toEqual({
      name: "graphloom_deployment_lag_blocks",
      labels: { deployment: "QmA", name: 'odd\\"name\\\\/1', network: "mainnet" },
      value: 50,
    });
    expect(sampleValue(samples, "graphloom_deployment_lag_seconds")).toBe(60);
    expect(sampleValue(samples, "graphloom_deployment_failed")).toBe(1);
    const waiting = sampleValue(samples, "graphloom_deployment_waiting_since_timestamp_seconds");
    expect(waiting).toBe(1_700_000_030.5);
    expect(sampleValue(samples, "graphloom_webhook_outbox_oldest_seconds")).toBe(0);
    expect(samples.filter(({ labels }) => labels.deployment === "QmGone")).toEqual([]);
  });

  it("report pipelines with their sinks", async () => {
    const stored = {
      state: "stalled",
      rows: 7,
      blocks: { transfers: 19 },
      why: "away",
      parked: 2,
      misses: 3,
      lag: { transfers: 5 },
    };
    const row = { project: "project_a", name: "moves", status: "ACTIVE", runtime: "FAILING" };
    const nodes = JSON.stringify(
      Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [`node${index}`, { rows: index, rate: 1 }]),
      ),
    );
    const ran = { nodes, memory: "52428800", starts: "3" };
    const done = {
      ...row,
      name: "once",
      runtime: "COMPLETED",
      sinks: "{}",
      nodes: "{}",
      memory: null,
      starts: "0",
    };
    const samples = await scrape(
      answering({ events: "0", age: null }, [{ ...row, ...ran, sinks: JSON.stringify({ stored }) }, done]),
      async () => new Map(),
    );
    const value = (name: string, labels = {}) => sampleValue(samples, `graphloom_${name}`, labels);
    expect([value("pipelines", { status: "failing" }), value("pipelines", { status: "running" })]).toEqual([
      1, 0,
    ]);
    expect(value("pipeline_running", { pipeline: "moves" })).toBe(0);
    expect(value("pipeline_running", { pipeline: "once" })).toBeUndefined();
    const sink = { project: "project_a", pipeline: "moves", sink: "stored" };
    expect(value("pipeline_sink_rows", sink)).toBe(7);
    expect(value("pipeline_sink_stalled", sink)).toBe(1);
    expect(value("pipeline_sink_parked_rows", sink)).toBe(2);
    expect(value("pipeline_sink_lookup_misses", sink)).toBe(3);
    expect(value("pipeline_sink_block", { ...sink, source: "transfers" })).toBe(19);
    expect(value("pipeline_sink_lag_blocks", { ...sink, source: "transfers" })).toBe(5);
    const pipeline = { project: "project_a", pipeline: "moves" };
    expect(value("pipeline_state", { ...pipeline, state: "failing" })).toBe(1);
    expect(value("pipeline_memory_bytes", pipeline)).toBe(52_428_800);
    expect(value("pipeline_memory_bytes", { pipeline: "once" })).toBeUndefined();
    expect(value("pipeline_restarts", pipeline)).toBe(2);
    expect(value("pipeline_restarts", { pipeline: "once" })).toBe(0);
    expect(value("pipeline_node_rows", { ...pipeline, node: "node149" })).toBe(149);
    // The nodes with most rows, so that no definition makes more series than that.
    expect(samples.filter(({ name }) => name === "graphloom_pipeline_node_rows")).toHaveLength(100);
    const page = readFileSync("docs/pipeline-server.md", "utf8");
    const ofPipelines = samples.filter(({ name }) => name.startsWith("graphloom_pipeline"));
    expect(ofPipelines.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
