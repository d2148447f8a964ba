import { parseJson } from "../../../base/text/json-value.js";
import { messageOf } from "../../../base/text/message-of.js";
import { backoff } from "../../../base/turns/backoff.js";
import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import { Report } from "../../../compiler/diagnostics/report.js";
import { trustConnections } from "../../../machine/processes/guard-connections.js";
import type { Database } from "../../../store/database/database.js";
import { createOutgoing } from "../../../web/outgoing/outgoing.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import type { IntegerForm } from "../../flink/column-types.js";
import type { JobFate, JobState } from "../../flink/job/job-driver.js";
import { type FlinkPipeline, splitPipeline } from "../../flink/split-pipeline.js";
import { openKafka } from "../../machine/kafka/open-kafka.js";
import type { PipelinePlan } from "../../plan/pipeline-plan.js";
import type { PipelineWorld } from "../../runner/run-sinks.js";
import type { SinkState } from "../../runner/sink-state.js";
import type { AuditedWorld } from "../../sinks/audit.js";
import type { Kafka, ReadRecord } from "../../sinks/kafka-client.js";
import { readSnapshot } from "../../snapshots/pipeline-snapshot.js";
import { beginPipeline } from "../begin-pipeline.js";
import type { OtherEngine, PipelineEnd, PipelineLine, SinkStatus } from "../pipeline-engine.js";
import { openDatabaseJob } from "../state/kept-jobs.js";
import { type FlinkPlace, noLogin } from "./flink-place.js";
import { FlinkSinks } from "./flink-sinks.js";
import { type FlinkEnd, type FlinkWorld, runOnFlink } from "./run-on-flink.js";
import { savepointIn } from "./savepoints.js";

type Cluster = NonNullable<FlinkWorld["cluster"]>;

/** A pipeline whose queries Flink runs. */
export interface ServedFlink {
  /** With the name that the pipeline has on the server. */
  readonly plan: PipelinePlan;
  readonly engine: OtherEngine;
  /** Where Flink is; `no-login` if the project has none, and `undefined` if the server drives none. */
  readonly place: FlinkPlace | "no-login" | undefined;
  /** As in an order. */
  readonly begins: string;
  readonly snapshot: string | undefined;
  /** What to do with the job when the run is interrupted. */
  fate(): JobFate;
}

/** What it needs from outside. */
export interface ServedFlinkWorld {
  readonly flow: PipelineWorld & AuditedWorld & Pick<FlinkWorld, "admit">;
  /** The server's database, which keeps the job. */
  readonly database: Database;
  readonly world: World;
}

/** Hears what happens in the run. */
export interface ServedFlinkHearer {
  /** Flink runs its queries. */
  started(): void;
  /** A sink of ours, or a topic, has another state. */
  sink(name: string, state: SinkState): void;
  /** A sink that Flink writes has another state. */
  status(sink: string, status: SinkStatus): void;
  say(level: PipelineLine["level"], text: string): void;
}

const retries = { first: 1_000, longest: 30_000 };

/**
 * Runs a pipeline on Flink until it ends or the signal is aborted. Places that cannot be prepared yet are tried again.
 * @throws PipelineError for what cannot be prepared at all
 */
export async function runServedFlink(
  order: ServedFlink,
  { flow: opened, database, world }: ServedFlinkWorld,
  hear: ServedFlinkHearer,
  signal: AbortSignal,
): Promise<PipelineEnd> {
  const { place, engine, begins } = order;
  const flow = splitAgain(order.plan, engine.integers);
  if (!place) throw new PipelineError(noFlink, false);
  if (place === "no-login") throw new PipelineError(noLogin, false);
  const { snapshot = "{}" } = order;
  const savepoint = isSnapshot(begins) ? savepointIn(snapshot, flow, engine.integers) : undefined;
  const outgoing = createOutgoing({ allowsPrivate: true }, world);
  const sinks = new FlinkSinks(
    flow,
    () => world.now(),
    (sink, status) => hear.status(sink, status),
  );
  let isStarted = false;
  const started = (): void => {
    if (!isStarted) hear.started();
    isStarted = true;
  };
  const flinkWorld: FlinkWorld = {
    ...opened,
    cluster: trustedCluster({ openKafka: (address) => openKafka(address), outgoing }),
    openKeptJob: (name) => openDatabaseJob(database, name),
  };
  const run = {
    flow,
    integers: engine.integers,
    gateway: place.gateway,
    kafka: place.kafka,
    from: begins === "anew" ? ("none" as const) : savepoint === undefined ? ("last" as const) : { savepoint },
    fate: order.fate,
  };
  try {
    let hasBegun = false;
    for (let failures = 1; ; failures += 1) {
      try {
        if (!hasBegun)
          await beginPipeline(
            { ...order.plan, sinks: flow.own },
            ...([
              begins,
              () => readSnapshot(parseJson(snapshot)),
              opened,
              (text: string) => hear.say("info", text),
            ] as const),
          );
        hasBegun = true;
        const end = await runOnFlink(
          run,
          flinkWorld,
          {
            onSink: (name, state) => {
              if (flow.plan.job) started();
              hear.sink(name, state);
            },
            onJob: (state, text) => {
              if (state.kind === "running") started();
              tellOfJob(state, text, hear);
              sinks.job(state);
            },
            onFigures: (figures) => sinks.figures(figures),
          },
          signal,
        );
        return endOf(end, signal);
      } catch (error) {
        if (signal.aborted) return { kind: "stopped" };
        if (!(error instanceof PipelineError && error.isTemporary)) throw error;
        sinks.stalled(error.message);
        await wait(backoff(failures, retries, world.random()), world, signal);
      }
    }
  } finally {
    outgoing.close();
  }
}

/** What a server without Flink says. */
const noFlink =
  "This server does not run pipelines on Flink. Start it with --flows flink=<gateway>,kafka=<brokers>, or run the pipeline yourself with pipeline run --engine.";

/** Whether a pipeline begins at a snapshot, rather than at its positions or from the start. */
function isSnapshot(begins: string): boolean {
  return !["continue", "anew", "reset", "recreate", "settle"].includes(begins);
}

/** Divides a pipeline that a check has let through. @throws PipelineError if it cannot be divided */
export function splitAgain(plan: PipelinePlan, integers: IntegerForm): FlinkPipeline {
  const report = new Report();
  const flow = splitPipeline(plan, integers, report);
  if (flow) return flow;
  throw new PipelineError(report.diagnostics[0]?.message ?? "Flink cannot run the pipeline", false);
}

function tellOfJob(state: JobState, text: string, { say }: ServedFlinkHearer): void {
  if (state.kind === "halted") say("error", `Flink: ${messageOf(state.error)}`);
  else if (state.kind === "running" && state.doubt) say("warn", text);
  // Sinks say why they stall.
  else if (state.kind !== "stalled" && state.kind !== "unstarted") say("info", text);
}

function endOf({ sinks, job }: FlinkEnd, signal: AbortSignal): PipelineEnd {
  if (signal.aborted) return { kind: "stopped" };
  for (const [sink, state] of sinks)
    if (state.kind === "halted") return { kind: "failed", why: `Sink ${sink}: ${messageOf(state.error)}` };
  if (job.kind === "halted") return { kind: "failed", why: `Flink: ${messageOf(job.error)}` };
  return { kind: "completed" };
}

/**
 * Flink and the Kafka of its topics, which are reached wherever they are: the operator has chosen both, and the brokers of
 * Kafka and the gateway name further addresses. Only these clients are trusted, and not the addresses, which a user can write
 * into a definition.
 */
export function trustedCluster({ openKafka, outgoing }: Cluster): Cluster {
  return {
    openKafka: async (address, secret) =>
      trustedKafka(await trustConnections(() => openKafka(address, secret))),
    outgoing: { send: (request) => trustConnections(() => outgoing.send(request)) },
  };
}

function trustedKafka(kafka: Kafka): Kafka {
  return {
    topic: (name) => trustConnections(() => kafka.topic(name)),
    createTopic: (...given) => trustConnections(() => kafka.createTopic(...given)),
    deleteTopics: (prefix) => trustConnections(() => kafka.deleteTopics(prefix)),
    ranges: (topic) => trustConnections(() => kafka.ranges(topic)),
    committed: (...given) => trustConnections(() => kafka.committed(...given)),
    send: (topic, records) => trustConnections(() => kafka.send(topic, records)),
    async *read(...given): AsyncGenerator<ReadRecord> {
      const records = trustConnections(() => kafka.read(...given)[Symbol.asyncIterator]());
      try {
        // Each record may need a connection.
        for (;;) {
          const next = await trustConnections(() => records.next());
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        await records.return?.();
      }
    },
    close: () => kafka.close(),
  };
}
