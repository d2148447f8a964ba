import { present } from "../../../base/invariant.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import { type FlinkSink, isFlinkSink } from "../../flink/check-sink.js";
import type { IntegerForm } from "../../flink/column-types.js";
import { digestOf, type FlinkStatements, flinkStatements } from "../../flink/flink-statements.js";
import { jdbcAddress } from "../../flink/jdbc-address.js";
import { jobName } from "../../flink/job/flink-job.js";
import { FlinkGateway } from "../../flink/job/gateway.js";
import { JobDriver, type JobFate, type JobState } from "../../flink/job/job-driver.js";
import type { JobFigures } from "../../flink/job/job-figures.js";
import { jobText } from "../../flink/job/job-text.js";
import type { KeptJobStore } from "../../flink/job/kept-job.js";
import { kafkaOptions, writtenForms } from "../../flink/kafka-options.js";
import { prepareSinkTable, targetOf } from "../../flink/prepare-places.js";
import type { FlinkPipeline } from "../../flink/split-pipeline.js";
import { topicPipeline, topicSecret, topicSettings } from "../../flink/topic-pipeline.js";
import { type PipelineWorld, runSinks } from "../../runner/run-sinks.js";
import type { SinkState } from "../../runner/sink-state.js";
import { databaseAddress } from "../../sinks/database-address.js";
import { encryptedMysql, encryptedPostgres } from "../../sinks/database-tls.js";
import { kafkaAddress } from "../../sinks/kafka/kafka-secret.js";
import type { KafkaAddress } from "../../sinks/kafka-client.js";
import { secretOf } from "../../sinks/opening.js";

/** A pipeline that Flink runs, and where. */
export interface FlinkRun {
  readonly flow: FlinkPipeline;
  readonly integers: IntegerForm;
  /** Where the SQL gateway answers, such as `http://localhost:8083`. */
  readonly gateway: string;
  /** The cluster of the topics, as the value of a secret of the type kafka. */
  readonly kafka: string;
  /**
   * Where a paused job continues: at its last savepoint or a certain one, or nowhere, so that it starts over.
   */
  readonly from: "last" | "none" | { readonly savepoint: string };
  /** What to do with the job when the run is interrupted; called at that time. `pause` if absent. */
  fate?(): JobFate;
}

/** What it needs from outside. */
export interface FlinkWorld extends PipelineWorld {
  /** How Flink and the cluster of the topics are reached, if not as the addresses of the definition are. */
  readonly cluster?: Pick<PipelineWorld, "openKafka" | "outgoing">;
  /** Refuses the address of a database to which Flink must not connect. @throws SinkError */
  admit?(address: string): Promise<void>;
  /** Opens the saved state of a pipeline's job. @throws PipelineError if another process has it open */
  openKeptJob(flow: string): Promise<KeptJobStore>;
}

/** Hears what happens in a run. */
export interface FlinkListener {
  /** A sink of ours, or a topic, has another state. */
  onSink(sink: string, state: SinkState): void;
  /** The job has another state. @param text what that means, for people */
  onJob(state: JobState, text: string): void;
  /** What the running job has done, every few seconds; `undefined` if its job manager does not say. */
  onFigures?(figures: JobFigures | undefined): void;
}

export interface FlinkEnd {
  readonly sinks: ReadonlyMap<string, SinkState>;
  readonly job: JobState;
}

/**
 * Runs a pipeline on Flink: writes the topics, has Flink run the queries, and writes our own sinks. An interrupt
 * stops the job with a savepoint, from which the next run continues.
 *
 * A pipeline that is a job first writes its topics to their end, and then has Flink read them to their end.
 * @throws PipelineError for anything that cannot be prepared: a topic, a table, or a gateway that refuses it
 */
export async function runOnFlink(
  run: FlinkRun,
  world: FlinkWorld,
  listener: FlinkListener,
  signal: AbortSignal,
): Promise<FlinkEnd> {
  const { flow } = run;
  const address = await kafkaAddress("of the topics", run.kafka);
  const databases = await databasesOf(flow, world);
  const clusters = await clustersOf(flow, world);
  const { statements, digest, secrets } = prepareStatements(run, address, { databases, clusters });
  const store = await world.openKeptJob(flow.plan.name);
  try {
    await prepareTopics(run, address, clusters, world);
    const targets = await prepareTargets(flow, store, world);
    const { clock, outgoing } = { ...world, ...world.cluster };
    const driver = new JobDriver({
      gateway: new FlinkGateway(run.gateway, { clock, outgoing }, secrets),
      store,
      clock,
      onState: (state) => listener.onJob(state, jobText(state)),
      ...(listener.onFigures && { onFigures: listener.onFigures }),
    });
    const job = {
      flow: flow.plan.name,
      digest,
      statements,
      targets,
      from: run.from,
      isBounded: flow.plan.job,
      ...(run.fate && { fate: run.fate }),
    };
    const write = (until: AbortSignal): Promise<ReadonlyMap<string, SinkState>> =>
      runSinks(
        topicPipeline(flow, run.integers),
        topicWorld(run, world),
        (sink, state) => listener.onSink(sink, state),
        until,
      );
    if (!flow.plan.job) return await together(write, (until) => driver.run(job, until), signal);
    const sinks = await write(signal);
    if (signal.aborted || [...sinks.values()].some(({ kind }) => kind === "halted"))
      return { sinks, job: { kind: "unstarted" } };
    return { sinks, job: await driver.run(job, signal) };
  } finally {
    store.close();
  }
}

/** Writes and computes side by side. Where one of them fails, the other ends as well. */
async function together(
  write: (until: AbortSignal) => Promise<ReadonlyMap<string, SinkState>>,
  compute: (until: AbortSignal) => Promise<JobState>,
  signal: AbortSignal,
): Promise<FlinkEnd> {
  const failing = new AbortController();
  const until = AbortSignal.any([signal, failing.signal]);
  const [sinks, job] = await Promise.all([
    write(until).then((ends) => {
      if ([...ends.values()].some(({ kind }) => kind === "halted")) failing.abort();
      return ends;
    }),
    compute(until).then((state) => {
      failing.abort();
      return state;
    }),
  ]).catch((error: unknown) => {
    failing.abort();
    throw error;
  });
  return { sinks, job };
}

/** The addresses of the databases that Flink writes, with how to encrypt, by the names of their secrets. */
async function databasesOf(flow: FlinkPipeline, world: FlinkWorld): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { definition } of flow.sinks.filter(isFlinkSink)) {
    if (definition.type !== "postgres" && definition.type !== "mysql_sink") continue;
    const secret = definition.settings.secret_name?.value ?? "";
    const address = databaseAddress(secret, definition.type === "postgres" ? "postgres" : "mysql", world);
    found.set(
      secret,
      await (definition.type === "postgres" ? encryptedPostgres(address) : encryptedMysql(address)),
    );
  }
  return found;
}

/** The clusters that Flink writes, by the names of their secrets. */
async function clustersOf(
  flow: FlinkPipeline,
  world: FlinkWorld,
): Promise<ReadonlyMap<string, KafkaAddress>> {
  const found = new Map<string, KafkaAddress>();
  for (const { definition } of flow.sinks.filter(isFlinkSink)) {
    if (definition.type !== "kafka") continue;
    const secret = definition.settings.secret_name?.value ?? "";
    found.set(secret, await kafkaAddress(secret, secretOf(secret, world)));
  }
  return found;
}

/** Where Flink writes rows, by the names of secrets. */
interface WrittenPlaces {
  readonly databases: ReadonlyMap<string, string>;
  readonly clusters: ReadonlyMap<string, KafkaAddress>;
}

function prepareStatements(
  { flow, integers }: FlinkRun,
  topics: KafkaAddress,
  { databases, clusters }: WrittenPlaces,
): { readonly statements: FlinkStatements; readonly digest: string; readonly secrets: readonly string[] } {
  const digest = digestOf(flow, integers);
  const secrets: string[] = topics.login ? [topics.login.password] : [];
  const statements = flinkStatements(flow, {
    integers,
    jobName: jobName(flow.plan.name, digest),
    isBounded: flow.plan.job,
    topics: kafkaOptions(topics),
    kafka: (secret) => {
      const found = present(clusters.get(secret), "of each sink");
      if (found.login) secrets.push(found.login.password);
      return kafkaOptions(found);
    },
    jdbc: (secret, protocol) => {
      const found = jdbcAddress(present(databases.get(secret), "of each sink"), protocol, secret);
      secrets.push(found.password);
      return found;
    },
  });
  return { statements, digest, secrets: secrets.flatMap(writtenForms) };
}

/** Creates the topics that are not there, so that the job finds them, and they keep everything. */
async function prepareTopics(
  { flow }: FlinkRun,
  address: KafkaAddress,
  clusters: ReadonlyMap<string, KafkaAddress>,
  world: FlinkWorld,
): Promise<void> {
  const kafka = await (world.cluster ?? world).openKafka(address, topicSecret);
  try {
    for (const { topic } of flow.topics)
      if (!(await kafka.topic(topic))) await kafka.createTopic(topic, undefined, topicSettings);
  } catch (error) {
    throw pipelineErrorOf(error);
  } finally {
    await kafka.close();
  }
  for (const { definition } of flow.sinks.filter(isFlinkSink)) {
    if (definition.type !== "kafka") continue;
    const { secret_name: secret, topic, topic_partitions: partitions } = definition.settings;
    const name = secret?.value ?? "";
    const own = await world.openKafka(present(clusters.get(name), "of each sink"), name);
    try {
      if (!(await own.topic(topic?.value ?? "")))
        await own.createTopic(topic?.value ?? "", partitions?.value, new Map());
    } catch (error) {
      throw pipelineErrorOf(error);
    } finally {
      await own.close();
    }
  }
}

/** @returns the places that the pipeline writes from now on, besides the places that it has written */
async function prepareTargets(
  { plan, sinks }: FlinkPipeline,
  { kept }: KeptJobStore,
  world: FlinkWorld,
): Promise<readonly string[]> {
  const targets = new Set(kept?.targets ?? []);
  for (const sink of sinks.filter(isFlinkSink)) {
    const target = targetOf(sink);
    if (isPostgres(sink)) await prepareSinkTable(sink, plan.name, targets.has(target), world);
    // Flink alone connects to it.
    else if (sink.definition.type === "mysql_sink") {
      const { secret_name: secret } = sink.definition.settings;
      await world.admit?.(databaseAddress(secret?.value ?? "", "mysql", world));
    }
    targets.add(target);
  }
  return [...targets];
}

function isPostgres(sink: FlinkSink): sink is FlinkSink & {
  readonly definition: Extract<FlinkSink["definition"], { readonly type: "postgres" }>;
} {
  return sink.definition.type === "postgres";
}

/** The world of our part, whose topics are in the cluster of the run. */
function topicWorld({ kafka }: FlinkRun, world: FlinkWorld): PipelineWorld {
  const { cluster = world } = world;
  return {
    ...world,
    secret: (name) => (name === topicSecret ? kafka : world.secret(name)),
    openKafka: (address, secret) =>
      secret === topicSecret ? cluster.openKafka(address, secret) : world.openKafka(address, secret),
  };
}

function pipelineErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "KafkaError") return error;
  const isTemporary = "isTemporary" in error && error.isTemporary === true;
  return new PipelineError(error.message, isTemporary, { cause: error });
}
