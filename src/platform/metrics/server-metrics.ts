import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Meters } from "../../base/meters.js";
import { createGauges } from "./gauges.js";
import type { MetricsView } from "./metrics-view.js";
import type { Reading } from "./read-server.js";

/** Counts queries by deployment and by source of the answer. */
class QueryCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  add(deployment: string, answeredBy: string): void {
    const own = this.#counts.get(deployment) ?? new Map<string, number>();
    own.set(answeredBy, (own.get(answeredBy) ?? 0) + 1);
    this.#counts.set(deployment, own);
  }

  /** Drops the counts of all other deployments. */
  keepOnly(deployments: ReadonlySet<string>): void {
    for (const deployment of this.#counts.keys())
      if (!deployments.has(deployment)) this.#counts.delete(deployment);
  }

  /** Registers the visible counts; a view without names gets only totals. */
  tell(registry: Registry, { deployments }: Reading, { kind }: MetricsView): void {
    // If several projects have a build, no query can be charged to one of them.
    const visible = new Set(
      deployments?.flatMap(({ deployment, isShared }) => (isShared ? [] : [deployment])),
    );
    const counter = new Counter({
      name: "graphloom_queries_total",
      help: "Queries, by what answered them.",
      labelNames: ["deployment", "answered_by"],
      registers: [registry],
    });
    for (const [deployment, counts] of this.#counts) {
      const isSeen = kind === "all" || visible.has(deployment);
      if (kind !== "nameless" && !isSeen) continue;
      for (const [from, count] of counts) {
        counter.inc({ ...(kind !== "nameless" && { deployment }), answered_by: from }, count);
      }
    }
  }
}

/** The metrics of a server, for Prometheus. */
export interface ServerMetrics {
  /** Counts work; pass it to the parts of the server. */
  readonly meters: Meters;
  /** The media type of `text`. */
  readonly contentType: string;
  /**
   * All metrics that the view allows. It drops the counts of deployments that no longer exist.
   * @param reading the current state of the server
   */
  text(reading: Reading, view: MetricsView): Promise<string>;
}

/** Seconds, for answers to clients and answers from other servers. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Creates the metrics of one server, including those of its process. */
export function createServerMetrics(): ServerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter<Label>({ name: `graphloom_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram<Label>({ name: `graphloom_${name}`, help, labelNames, registers, buckets });

  const requests = counter("http_requests_total", "HTTP requests answered.", ["method", "route", "status"]);
  const durations = histogram("http_request_duration_seconds", "Duration of HTTP requests.", [
    "method",
    "route",
  ]);
  const queries = new QueryCounts();
  const queryDurations = histogram("query_duration_seconds", "Duration of queries, by what answered them.", [
    "answered_by",
  ]);
  const nodeRequests = counter("node_requests_total", "Requests to nodes, by outcome.", [
    "network",
    "outcome",
  ]);
  const nodeDurations = histogram("node_request_duration_seconds", "Duration of requests to nodes.", [
    "network",
  ]);
  const calls = counter("node_calls_total", "JSON-RPC calls, by what answered them.", [
    "network",
    "answered_by",
  ]);
  const deliveries = counter("webhook_deliveries_total", "Attempts to deliver webhook events, by outcome.", [
    "outcome",
  ]);
  const deliveryDurations = histogram(
    "webhook_delivery_duration_seconds",
    "Duration of webhook deliveries.",
    [],
  );
  const files = counter("dataset_files_total", "Files of datasets that were asked for, by outcome.", [
    "network",
    "outcome",
  ]);
  const fileBytes = counter("dataset_bytes_total", "Bytes of files of datasets.", ["network"]);
  const fileDurations = histogram(
    "dataset_file_duration_seconds",
    "Duration of the work on files of datasets.",
    ["network"],
  );
  // Counters that start at 0 have a rate from the first delivery on.
  for (const outcome of ["delivered", "retried", "failed"]) deliveries.inc({ outcome }, 0);

  const meters: Meters = {
    answered: ({ method, route, status, seconds }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    queried: (deployment, from, seconds) => {
      queries.add(deployment, from);
      queryDurations.observe({ answered_by: from }, seconds);
    },
    askedNode: (network, outcome, seconds) => {
      nodeRequests.inc({ network, outcome });
      nodeDurations.observe({ network }, seconds);
    },
    called: (network, from, count) => calls.inc({ network, answered_by: from }, count),
    delivered: (outcome, seconds) => {
      deliveries.inc({ outcome });
      deliveryDurations.observe(seconds);
    },
    madeFile: (network, outcome, seconds, bytes) => {
      files.inc({ network, outcome });
      fileBytes.inc({ network }, bytes);
      fileDurations.observe({ network }, seconds);
    },
  };
  return {
    meters,
    contentType: registry.contentType,
    async text(reading, view) {
      if (reading.known) queries.keepOnly(reading.known);
      // Each request has its own registry, because concurrent callers may see different deployments.
      const own = new Registry();
      createGauges(own).set(reading, view);
      queries.tell(own, reading, view);
      return (await Promise.all([own.metrics(), registry.metrics()])).join("");
    },
  };
}
