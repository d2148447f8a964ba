import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Meters } from "../meters.js";
import { createGauges, type Gauges } from "./gauges.js";

/** What is known of a server, for Prometheus. */
export interface ServerMetrics {
  /** To be given to what works. */
  readonly meters: Meters;
  readonly gauges: Gauges;
  /** Forgets what was counted for deployments that are not there any more. @param deployments those that are */
  keepOnly(deployments: ReadonlySet<string>): Promise<void>;
  /** The media type of the text. */
  readonly contentType: string;
  /** Everything, as text. */
  text(): Promise<string>;
}

/** Seconds: of answers to clients, and of answers from others. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of one server; those of its process are among them. */
export function createServerMetrics(): ServerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram<Label>({ name, help, labelNames, registers, buckets });

  const requests = counter("graphloom_http_requests_total", "Requests that were answered.", [
    "method",
    "route",
    "status",
  ]);
  const durations = histogram("graphloom_http_request_duration_seconds", "How long requests took.", [
    "method",
    "route",
  ]);
  const queries = counter("graphloom_queries_total", "Queries, by what answered them.", [
    "deployment",
    "answered_by",
  ]);
  const nodeRequests = counter("graphloom_node_requests_total", "Requests to nodes, by what came of them.", [
    "network",
    "outcome",
  ]);
  const nodeDurations = histogram("graphloom_node_request_duration_seconds", "How long nodes took.", [
    "network",
  ]);
  const calls = counter("graphloom_node_calls_total", "Calls of JSON-RPC, by what answered them.", [
    "network",
    "answered_by",
  ]);
  const deliveries = counter("graphloom_webhook_deliveries_total", "Attempts to deliver events.", [
    "outcome",
  ]);
  const deliveryDurations = histogram(
    "graphloom_webhook_delivery_duration_seconds",
    "How long receivers took.",
    [],
  );
  // A rate is known from the first one on, when it began with 0.
  for (const outcome of ["delivered", "retried", "failed"]) deliveries.inc({ outcome }, 0);

  const meters: Meters = {
    answered: ({ method, route, status, seconds }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    queried: (deployment, from) => queries.inc({ deployment, answered_by: from }),
    askedNode: (network, outcome, seconds) => {
      nodeRequests.inc({ network, outcome });
      nodeDurations.observe({ network }, seconds);
    },
    called: (network, from, count) => calls.inc({ network, answered_by: from }, count),
    delivered: (outcome, seconds) => {
      deliveries.inc({ outcome });
      deliveryDurations.observe(seconds);
    },
  };
  return {
    meters,
    gauges: createGauges(registry),
    async keepOnly(deployments) {
      const { values } = await queries.get();
      for (const { labels } of values) {
        if (!deployments.has(String(labels.deployment))) queries.remove(labels);
      }
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
