import { Gauge, Registry } from "prom-client";
import { ListenError } from "../../base/listen-error.js";
import { type StateAnswer, serveState } from "../../machine/serve-state.js";
import { SinkFigures, sinkStatus } from "../../pipelines/host/figures.js";
import type { SinkStatus } from "../../pipelines/host/pipeline-engine.js";
import { createSinkGauges } from "../../pipelines/host/sink-gauges.js";
import type { PipelinePlan } from "../../pipelines/plan/pipeline-plan.js";
import type { SinkState } from "../../pipelines/runner/sink-state.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** A run whose state can be asked for over HTTP. */
export interface RunHealth {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Notes the state of a sink. */
  update(sink: string, state: SinkState): void;
  /** Notes the head of the chain of a source. */
  seen(source: string, head: number): void;
  close(): Promise<void>;
}

/**
 * Serves `/health` for probes and `/metrics` for Prometheus.
 * @param place `8080`, or `0.0.0.0:8080` so that other machines reach it; 0 chooses a free port
 * @param now milliseconds since the Unix epoch
 * @throws UsageError for a wrong place, or if the port cannot be used
 */
export async function openRunHealth(
  place: string,
  { name: pipeline, sinks }: Pick<PipelinePlan, "name" | "sinks">,
  now: () => number,
): Promise<RunHealth> {
  const { host, port } = placeOf(place);
  const figures = new SinkFigures(now);
  const states = new Map<string, SinkStatus>(
    sinks.map(({ name }) => [name, { state: "progressing", rows: 0, blocks: {} }]),
  );
  const read = (): Readonly<Record<string, SinkStatus>> =>
    Object.fromEntries([...states].map(([sink, one]) => [sink, { ...one, ...figures.read(sink, one) }]));
  const metrics = createMetrics(pipeline, read);
  const health = (): StateAnswer => {
    const found = read();
    const status = healthOf(Object.values(found));
    return {
      status: status === "failed" ? 503 : 200,
      type: "application/json",
      body: `${JSON.stringify({ status, pipeline, sinks: found })}\n`,
    };
  };
  const server = await serveState({ host, port, option: "--health" }, async (path) => {
    if (path === "/health") return health();
    if (path !== "/metrics") return undefined;
    return { status: 200, type: metrics.contentType, body: await metrics.read() };
  }).catch((error: unknown) => {
    throw error instanceof ListenError ? new UsageError(error.message) : error;
  });
  return {
    url: server.url,
    update: (sink, state) => void states.set(sink, sinkStatus(state, states.get(sink))),
    seen: (source, head) => figures.seen(source, head),
    close: () => server.close(),
  };
}

/** A stalled sink is tried again; one that has halted is not. */
function healthOf(sinks: readonly SinkStatus[]): "ok" | "stalled" | "failed" {
  if (sinks.some(({ state }) => state === "halted")) return "failed";
  return sinks.some(({ state }) => state === "stalled") ? "stalled" : "ok";
}

/** @throws UsageError */
function placeOf(place: string): { readonly host: string; readonly port: number } {
  const [, host = "127.0.0.1", port = ""] = /^(?:\[?([^[\]]+)\]?:)?(\d{1,5})$/.exec(place) ?? [];
  if (port !== "" && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new UsageError(
    "--health takes a port, such as 8080, or an address and a port, such as 0.0.0.0:8080.",
  );
}

function createMetrics(
  pipeline: string,
  read: () => Readonly<Record<string, SinkStatus>>,
): { readonly contentType: string; read(): Promise<string> } {
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name: `graphloom_${name}`, help, labelNames, registers: [registry] });
  const isUp = gauge("pipeline_running", "Whether a pipeline runs and all of its sinks are written.", [
    "pipeline",
  ]);
  const set = createSinkGauges(gauge, ["pipeline"]);
  return {
    contentType: registry.contentType,
    read: () => {
      registry.resetMetrics();
      const sinks = read();
      isUp.set({ pipeline }, Number(healthOf(Object.values(sinks)) === "ok"));
      for (const [sink, status] of Object.entries(sinks)) set({ pipeline }, sink, status);
      return registry.metrics();
    },
  };
}
