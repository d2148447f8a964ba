/** The process that checks or runs one pipeline. */
import { setMaxListeners } from "node:events";
import { hearFailures, reportFailure } from "../../base/failures.js";
import { isUnexpected, messageOf } from "../../base/text/message-of.js";
import { inBackground } from "../../base/turns/guarded.js";
import { PortCaller, type PortReply } from "../../base/turns/port-calls.js";
import type { ThreadLog } from "../../hosting/embedded/thread-log.js";
import { createThreadWorld } from "../../hosting/embedded/thread-world.js";
import { joinParent } from "../../machine/processes/join-parent.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import { isDatabaseTrouble } from "../../store/database/database-trouble.js";
import { openOverPort } from "../../store/database/port/open-over-port.js";
import type { AddressPolicy } from "../../web/outgoing/address-rule.js";
import { createOutgoing } from "../../web/outgoing/outgoing.js";
import { refusalLog } from "../../web/outgoing/refusal-log.js";
import type { JobFate } from "../flink/job/job-driver.js";
import { addressReader } from "../http/read-address.js";
import type { PipelinePlan } from "../plan/pipeline-plan.js";
import { type PipelineWorld, runSinks } from "../runner/run-sinks.js";
import type { SinkState } from "../runner/sink-state.js";
import { performTask } from "../tasks/pipeline-task.js";
import { beginWhenReady, changeAdvice } from "./begin-pipeline.js";
import { checkDefinition, type PlannedDefinition } from "./check-definition.js";
import { runServedFlink } from "./flink/run-served-flink.js";
import { guardPipeline } from "./guard-pipeline.js";
import {
  type HostCalls,
  type HostFailure,
  orderChannel,
  type PipelineNews,
  type PipelineOrderMessage,
  type PipelineStart,
} from "./messages.js";
import { auditedSources, runningSources, type SourceReading } from "./open-sources.js";
import type { PipelineEnd, PipelineTask, SinkStatus } from "./pipeline-engine.js";
import { PipelineReports } from "./pipeline-reports.js";
import { sinkChanges, snapshotText } from "./read-sinks.js";
import { ownSubgraphs } from "./served/own-subgraphs.js";
import { servedChains } from "./served/served-chains.js";
import { servedWorld } from "./served/served-world.js";

/** The most connections of a process to the server's database. */
const connections = 2;
/** Milliseconds between two reports. */
const beat = 250;
const second = 1_000;

const channels = joinParent((error) => tell({ kind: "ended", end: failedBy(error) }));
const port = channels.open(orderChannel);
type Sound = NonNullable<PlannedDefinition["sound"]>;
const stop = new AbortController();
const { signal } = stop;
// Every request and wait adds a listener.
setMaxListeners(0, signal);
const world = createThreadWorld(async () => {
  throw new Error("a pipeline reaches the network through its ports");
}, signal);
const tell = (news: PipelineNews): void => port.postMessage(news);
hearFailures((stack) => tell({ kind: "failure", stack }));
/** Why the pipeline ended itself. */
let givenUp: string | undefined;
const reports = new PipelineReports({
  now: () => world.now(),
  tell,
  giveUp(why) {
    givenUp = why;
    stop.abort();
  },
});
const say: ThreadLog["say"] = (level, text) => reports.say(level, text);
/** What to do with the job in Flink, if there is one, when the pipeline is stopped. */
let fate: JobFate = "pause";
/** Where the pipeline continues. */
type Beginning = Pick<PipelineStart, "begins" | "snapshot">;
let release: (from: Beginning | undefined) => void;
/** Resolves once a process that waits may run, without a value if it is stopped. */
const released = new Promise<Beginning | undefined>((resolve) => {
  release = resolve;
});
signal.addEventListener("abort", () => release(undefined));
const start = await new Promise<PipelineStart>((resolve) => {
  port.on("message", (order: PipelineOrderMessage) => {
    if (order.kind === "start") resolve(order.start);
    else if (order.kind === "go") release(order);
    else if (order.kind === "stop") {
      fate = order.job;
      stop.abort();
    } else reports.tap.watch(order.nodes);
  });
});
/** What may be reached. Refusals also go to the server's log, where its operator sees them. */
const reach: AddressPolicy = {
  ...start.reach,
  onRefused: refusalLog(
    (place, why) => tell({ kind: "refused", place, why }),
    () => world.now(),
  ),
};
const ownSocket = guardPipeline(reach);
const host = channels.open(start.host);
const calls = new PortCaller<HostCalls, HostFailure>(
  (call) => host.postMessage(call),
  ({ message, ofDatabase }) => (ofDatabase ? new DatabaseError(message) : new Error(message)),
);
host.on("message", (reply: PortReply<HostFailure>) => calls.settle(reply));

world.every(beat, () => reports.flush());
world.every(second, () => reports.noteFigures());

async function openDatabase(): Promise<Database> {
  const { database } = start;
  if (database.kind === "channel") return openOverPort(channels.open(database.channel), "pglite");
  const { openPostgres } = await import("../../store/database/postgres/postgres-database.js");
  return openPostgres(database.address, world, { connections, stream: ownSocket });
}

async function check(database: Database): Promise<PlannedDefinition> {
  const outgoing = createOutgoing(reach, world);
  return checkDefinition(start.definition, {
    read: addressReader(outgoing),
    memory: start.limits.sql,
    subgraphs: ownSubgraphs(database, calls),
    secret: (name) => calls.call("secret", name),
  }).finally(() => outgoing.close());
}

/** How the sources of a pipeline are read. */
function readingOf({ job }: PipelinePlan, database: Database, ports: SourceReading["ports"]): SourceReading {
  return {
    ports,
    chains: servedChains(start, (channel) => channels.open(channel), { world, say, signal }),
    database,
    entitiesEnd: job,
    say: (text) => say("info", text),
  };
}

/** What the sinks and queries of the pipeline have. @param out takes what the sink `print` prints */
function portsOf(database: Database, secrets: Sound["secrets"], out: (text: string) => void) {
  const { limits, files, filesMegabytes } = start;
  return servedWorld({
    limits,
    reach,
    files,
    filesMegabytes,
    database,
    world,
    out,
    secret: (name) => secrets.get(name),
  });
}

async function run(
  { plan, meaning, secrets: known }: Sound,
  from: Beginning,
  database: Database,
): Promise<PipelineEnd> {
  const secrets = new Map(known);
  const flow = { ...plan, name: start.flow };
  const ports = portsOf(database, secrets, (text) => {
    for (const line of text.trimEnd().split("\n")) say("info", line);
  });
  /** A secret may have been corrected meanwhile. */
  const refresh = async (): Promise<void> => {
    for (const name of secrets.keys()) {
      const value = await calls.call("secret", name).catch(() => undefined);
      if (value !== undefined) secrets.set(name, value);
    }
  };
  try {
    if (start.waits) await refresh();
    const pipelineWorld: PipelineWorld = {
      ...ports,
      ...runningSources(flow, readingOf(plan, database, ports), (_, source, head) =>
        reports.seen(source.name, head),
      ),
      tap: reports.tap,
      counter: reports.counter,
      onBatch: (sink, rows, began) => reports.wrote(sink, rows, began),
      onSlower: (sink, why) => say("warn", `Sink ${sink}: ${why}`),
    };
    const onSink = (sink: string, state: SinkState): void => {
      reports.sink(sink, state);
      if (state.kind === "stalled") inBackground(refresh(), reportFailure);
    };
    const started = (): void => {
      reports.flush();
      tell({ kind: "started", meaning });
    };
    const { engine } = start.definition;
    if (engine && start.mode === "run") {
      const order = {
        plan: flow,
        engine,
        place: start.flink,
        begins: from.begins,
        snapshot: from.snapshot,
        fate: () => fate,
      };
      const opened = { ...ports, ...pipelineWorld };
      const status = (sink: string, told: SinkStatus): void => reports.status(sink, told);
      const hearer = { started, sink: onSink, status, say };
      const end = await runServedFlink(order, { flow: opened, database, world }, hearer, signal);
      return end.kind === "stopped" ? stopped() : end;
    }
    const patience = { say, sleep: (time: number) => world.sleep(time), refresh, signal };
    if (start.mode === "run" && !(await beginWhenReady(flow, from, ports, patience))) return stopped();
    started();
    const ends = await runSinks(flow, { ...pipelineWorld, changeAdvice }, onSink, signal);
    if (signal.aborted) return stopped();
    const failed = [...ends].find(([, { kind }]) => kind === "halted");
    if (!failed) return { kind: "completed" };
    const [sink, state] = failed;
    return failedBy(state.kind === "halted" ? state.error : undefined, `Sink ${sink}: `);
  } finally {
    ports.close();
  }
}

/** Does some work with the sinks of a pipeline that does not run here. */
async function withSinks(
  { plan, secrets }: Sound,
  database: Database,
  work: (flow: PipelinePlan, ports: ReturnType<typeof portsOf>) => Promise<void>,
): Promise<PipelineEnd> {
  const ports = portsOf(database, secrets, () => undefined);
  try {
    await work({ ...plan, name: start.flow }, ports);
    return { kind: "completed" };
  } finally {
    ports.close();
  }
}

/** Tells how far the sinks are, or how their rows were computed. */
function read(
  mode: "snapshot" | "compare",
  sound: Sound,
  findings: PlannedDefinition["findings"],
  database: Database,
): Promise<PipelineEnd> {
  return withSinks(sound, database, async (plan, ports) => {
    const pipeline = { plan, engine: start.definition.engine, world: ports, database };
    if (mode === "snapshot") tell({ kind: "snapshot", text: await snapshotText(pipeline) });
    else tell({ kind: "compared", compared: { findings, sinks: await sinkChanges(pipeline) } });
  });
}

/** Does a task on the state of the sinks. */
function perform(task: PipelineTask, sound: Sound, database: Database): Promise<PipelineEnd> {
  return withSinks(sound, database, async (flow, ports) => {
    const sources = auditedSources(flow, readingOf(flow, database, ports));
    const audited = { ...ports, ...sources };
    const onProgress = (text: string): void => reports.progress(text);
    tell({ kind: "performed", result: await performTask(flow, task, audited, { onProgress, signal }) });
  });
}

async function work(): Promise<PipelineEnd> {
  const database = await openDatabase();
  try {
    const { findings, sound } = await check(database);
    if (start.mode === "check" || start.waits)
      tell({ kind: "checked", checked: { findings, meaning: sound?.meaning } });
    if (start.mode === "check") return { kind: "completed" };
    if (!sound && start.mode === "compare") {
      tell({ kind: "compared", compared: { findings } });
      return { kind: "completed" };
    }
    if (!sound) {
      const [first] = findings.filter(({ severity }) => severity === "error");
      return { kind: "failed", why: `The definition is not valid any more: ${first?.message ?? ""}` };
    }
    if (start.mode === "snapshot" || start.mode === "compare")
      return await read(start.mode, sound, findings, database);
    if (start.task) return await perform(start.task, sound, database);
    const from = start.waits ? await released : start;
    if (!from) return stopped();
    const shown = start.mode === "preview" ? { ...sound, plan: dropping(sound.plan) } : sound;
    return await run(shown, from, database);
  } finally {
    await database.close();
  }
}

/** The same plan with sinks that drop all rows. */
function dropping(plan: PipelinePlan): PipelinePlan {
  const sinks = plan.sinks.map((sink) => {
    const { name, settings } = sink.definition;
    const { from } = settings;
    return { ...sink, definition: { type: "blackhole" as const, name, settings: { ...(from && { from }) } } };
  });
  return { ...plan, sinks };
}

function stopped(): PipelineEnd {
  return givenUp === undefined ? { kind: "stopped" } : { kind: "failed", why: givenUp };
}

/** The end after an error. A mistake of ours may not happen again. @param before what the reason begins with */
function failedBy(error: unknown, before = ""): PipelineEnd {
  return { kind: "failed", why: `${before}${messageOf(error)}`, mayPass: isUnexpected(error) };
}

function endOf(error: unknown): PipelineEnd {
  if (signal.aborted) return stopped();
  if (!isDatabaseTrouble(error)) return failedBy(error);
  const why = `The server's database does not answer: ${error.message}`;
  return { kind: "failed", why, mayPass: true, ofDatabase: true };
}

const end = await work().catch(endOf);
reports.noteFigures();
reports.flush();
tell({ kind: "ended", end });
