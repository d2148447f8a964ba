/**
 * Traces over OTLP/HTTP, with the SDK of OpenTelemetry. The SDK reads its other settings from the environment: `OTEL_…`.
 * Loaded only by a server that sends traces.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  type HrTime,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { parseTraceParent, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Meters } from "../base/meters.js";
import { visible } from "../base/text/visible.js";
import type { Tracing } from "../base/tracing.js";
import { wait } from "../base/turns/wait.js";
import type { World } from "../base/world.js";

/** Where traces and warnings go. */
export interface TracingOptions {
  /** The address of a collector; absent for that of the environment. */
  readonly endpoint?: string | undefined;
  readonly version: string;
  readonly world: Pick<World, "now" | "timeout">;
  /** Receives a sentence when traces cannot be sent. */
  warn(sentence: string): void;
}

/** Milliseconds between two sentences about failures. */
const quiet = 600_000;
/** Milliseconds that the last spans have to be sent. */
const farewell = 5_000;

/** A request within which work is done. */
interface Within {
  readonly context: Context;
  /** What it has started may continue for long, and belongs to no request then. */
  isOver: boolean;
}

/** Opens the way to a collector. Nothing waits for it, and what it does not take in time is dropped. */
export function openTracing({ endpoint, version, world, warn }: TracingOptions): Tracing {
  let toldAt = Number.NEGATIVE_INFINITY;
  // The SDK has one for all of a process. Its failures may have the whole answer of a collector in other properties.
  setGlobalErrorHandler((error) => {
    if (world.now() - toldAt < quiet) return;
    toldAt = world.now();
    const why = error instanceof Error ? error.message : String(error);
    warn(
      `Traces cannot be sent to the collector: ${visible(why.slice(0, 200)) || "it refuses them"}. Spans are dropped.`,
    );
  });
  const url = endpoint === undefined ? undefined : `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "graphloom", "service.version": version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(url === undefined ? {} : { url }))],
  });
  const tracer = provider.getTracer("graphloom", version);
  const requests = new AsyncLocalStorage<Within>();

  /** Records work that has just ended. */
  const record = (
    name: string,
    seconds: number,
    attributes: Attributes,
    {
      kind = SpanKind.INTERNAL,
      isFailed = false,
    }: { readonly kind?: SpanKind; readonly isFailed?: boolean } = {},
  ): void => {
    const within = requests.getStore();
    const context = within && !within.isOver ? within.context : ROOT_CONTEXT;
    const now = world.now();
    const span = tracer.startSpan(
      name,
      { kind, attributes, startTime: timeOf(now - seconds * 1_000) },
      context,
    );
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(timeOf(now));
  };
  const kind = SpanKind.CLIENT;
  const meters: Partial<Meters> = {
    queried: (deployment, from, seconds) =>
      record(
        "query",
        seconds,
        { "graphloom.deployment": deployment, "graphloom.answered_by": from },
        { isFailed: from === "failed" },
      ),
    // Neither its address nor its error, which may repeat what was asked.
    askedNode: (network, outcome, seconds) =>
      record(
        "node request",
        seconds,
        { "graphloom.network": network, "graphloom.outcome": outcome },
        { kind, isFailed: outcome !== "answered" },
      ),
    delivered: (outcome, seconds) =>
      record(
        "webhook delivery",
        seconds,
        { "graphloom.outcome": outcome },
        { kind, isFailed: outcome !== "delivered" },
      ),
    madeFile: (network, outcome, seconds, bytes) =>
      record(
        "dataset file",
        seconds,
        { "graphloom.network": network, "graphloom.outcome": outcome, "graphloom.bytes": bytes },
        { isFailed: outcome === "failed" },
      ),
    indexed: ({ deployment, network, after, last, seconds }) =>
      record("index blocks", seconds, {
        "graphloom.deployment": deployment,
        "graphloom.network": network,
        ...(after !== undefined && { "graphloom.block.after": after }),
        ...(last !== undefined && { "graphloom.block.last": last }),
      }),
    moved: ({ project, pipeline, sink, rows, batches, seconds }) =>
      record("write rows", seconds, {
        "graphloom.project": project,
        "graphloom.pipeline": pipeline,
        "graphloom.sink": sink,
        "graphloom.rows": rows,
        "graphloom.batches": batches,
      }),
  };
  return {
    meters,
    begin(method, parent) {
      const attributes = { "http.request.method": method };
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes, links: linksTo(parent) },
        ROOT_CONTEXT,
      );
      const within: Within = { context: trace.setSpan(ROOT_CONTEXT, span), isOver: false };
      return {
        within: (work) => requests.run(within, work),
        end({ route, status }) {
          within.isOver = true;
          if (route !== "none") span.updateName(`${method} ${route}`).setAttribute("http.route", route);
          span.setAttribute("http.response.status_code", status);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    async close() {
      const over = new AbortController();
      // The handler above reports failures to send.
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, wait(farewell, world, over.signal)]);
      over.abort();
    },
  };
}

/**
 * A link to the client's own span. Not its child: anyone can send the header, and would choose which traces are kept, and
 * to which ones the server's spans belong.
 */
function linksTo(parent: string | undefined): Link[] {
  const context = parent === undefined ? null : parseTraceParent(parent);
  return context ? [{ context }] : [];
}

/** Seconds and nanoseconds since 1970. */
function timeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1e6)];
}
