/** The process that checks or runs one pipeline. */
import { setMaxListeners } from "node:events";
import { join } from "node:path";
import { parseJson } from "../base/json-value.js";
import { PortCaller, type PortReply } from "../base/port-calls.js";
import type { ArchiveFiles, LocalArchiveFiles } from "../datasets/archive/archive-files.js";
import { FlowError } from "../flows/changes/flow-error.js";
import { isDeploymentId } from "../flows/definition/read-subgraphs.js";
import type { JobFate } from "../flows/flink/job-driver.js";
import type { FlowPlan } from "../flows/plan/flow-plan.js";
import { openSubgraphCatalog } from "../flows/plan/open-catalog.js";
import type { SubgraphCatalog } from "../flows/plan/subgraph-catalog.js";
import { type FlowWorld, runFlow } from "../flows/runner/run-flow.js";
import type { SinkState } from "../flows/runner/sink-state.js";
import type { SinkWorld } from "../flows/sinks/opening.js";
import { type FlowSnapshot, readSnapshot, SnapshotError } from "../flows/snapshots/flow-snapshot.js";
import { takeSnapshot } from "../flows/snapshots/take-snapshot.js";
import { archiveOverPort } from "../hosting/embedded/archive-port.js";
import { ThreadLog } from "../hosting/embedded/thread-log.js";
import { createThreadWorld } from "../hosting/embedded/thread-world.js";
import { openDuckDb } from "../node/duckdb/open-duckdb.js";
import { joinParent } from "../node/processes/join-parent.js";
import { openTemporaryScratch } from "../node/temporary-scratch.js";
import { NodesOverPort } from "../nodes/nodes-over-port.js";
import { type Database, DatabaseError } from "../store/database/database.js";
import { openOverPort } from "../store/database/port/open-over-port.js";
import { beginPipeline, changeAdvice, compareSinks } from "./begin-pipeline.js";
import { checkDefinition, type PlannedDefinition } from "./check-definition.js";
import { compareFlinkSinks } from "./flink/compare-flink.js";
import { runServedFlink, splitAgain } from "./flink/run-served-flink.js";
import { savepointSnapshot } from "./flink/savepoints.js";
import { guardPipeline } from "./guard-pipeline.js";
import {
  type HostCalls,
  orderChannel,
  type PipelineNews,
  type PipelineOrderMessage,
  type PipelineStart,
} from "./messages.js";
import { NodeFigures } from "./node-figures.js";
import { NodeTap } from "./node-tap.js";
import { performServedTask } from "./perform-served-task.js";
import type { PipelineEnd, PipelineTask, SinkStatus } from "./pipeline-engine.js";
import { openServedChain, type ServedChainOptions, servedNodes } from "./served-chains.js";
import { openServedEntity } from "./served-entities.js";
import { servedWorld } from "./served-world.js";
import { SinkFigures } from "./sink-figures.js";
import { messageOf, sinkStatus } from "./sink-status.js";
import { readDatabaseJob } from "./state/database-job.js";

/** The most connections of a process to the server's database. */
const connections = 2;
/** Milliseconds between two reports. */
const beat = 250;
const second = 1_000;
/** Milliseconds between two looks for changes of entities. */
const entityPause = 1_000;
/** Milliseconds that a query may take while a definition is checked. */
const queryTime = 60_000;

const channels = joinParent((error) =>
  tell({ kind: "ended", end: { kind: "failed", why: messageOf(error) } }),
);
const port = channels.open(orderChannel);
type Sound = NonNullable<PlannedDefinition["sound"]>;
const stop = new AbortController();
const { signal } = stop;
// Every request and wait adds a listener.
setMaxListeners(0, signal);
const world = createThreadWorld(async () => {
  throw new Error("a pipeline reaches the network through its ports");
}, signal);
const log = new ThreadLog(() => world.now());
const tell = (news: PipelineNews): void => port.postMessage(news);
const tap = new NodeTap(() => world.now());
/** What becomes of the job in Flink, if the pipeline has one, when it is stopped. */
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
    } else tap.watch(order.nodes);
  });
});
guardPipeline(start);
const host = channels.open(start.host);
const calls = new PortCaller<HostCalls, string>(
  (call) => host.postMessage(call),
  (message) => new DatabaseError(message),
);
host.on("message", (reply: PortReply<string>) => calls.settle(reply));

/** States that have changed since they were told. */
const changed = new Map<string, SinkStatus>();
const statuses = new Map<string, SinkStatus>();
const figures = new SinkFigures(() => world.now());
const counter = new NodeFigures(() => world.now());
/** What was told last of nodes, as text. */
let toldNodes = "{}";
/** How far a task is, if that was not told yet. */
let progress: string | undefined;
const report = (): void => {
  if (progress !== undefined) tell({ kind: "progress", text: progress });
  progress = undefined;
  for (const [sink, status] of changed) tell({ kind: "state", sink, status });
  changed.clear();
  const lines = log.take();
  if (lines.length > 0) tell({ kind: "lines", lines });
  for (const tapped of tap.flush()) tell({ kind: "rows", tapped });
};
world.every(beat, report);
world.every(second, noteFigures);

async function openDatabase(): Promise<Database> {
  const { database } = start;
  if (database.kind === "channel") return openOverPort(channels.open(database.channel), "pglite");
  const { openPostgres } = await import("../store/database/postgres/postgres-database.js");
  return openPostgres(database.address, world, { connections });
}

/** The subgraphs of the project, and no others. */
function ownSubgraphs(database: Database): SubgraphCatalog {
  const catalog = openSubgraphCatalog(database, {
    named: (name) => calls.call("builds", name),
    all: () => calls.call("subgraphs"),
    isPaused: (deployment) => calls.call("isPaused", deployment),
  });
  return {
    async find(name, version) {
      const isBuild = version === undefined || isDeploymentId(name);
      const isKnown = !isBuild || (await calls.call("shows", name));
      const found = isKnown ? await catalog.find(name, version) : undefined;
      if (found && found.kind !== "unknown-name") return found;
      return { kind: "unknown-name", names: await calls.call("subgraphs") };
    },
  };
}

function check(database: Database): Promise<PlannedDefinition> {
  return checkDefinition(start.definition, {
    openEngine: () => openDuckDb({ memory: start.limits.sql, time: queryTime }),
    subgraphs: ownSubgraphs(database),
    secret: (name) => calls.call("secret", name),
  });
}

/** Milliseconds after which a sink that is stalled ends its pipeline. */
const longestStall = 6 * 3_600_000;
/** Since when sinks are stalled. */
const stalls = new Map<string, number>();
/** Why the pipeline ended itself. */
let givenUp: string | undefined;

/** Ends the pipeline when a sink has been stalled for too long. */
function countStall(sink: string, { state, why }: SinkStatus): void {
  if (state !== "stalled") return void stalls.delete(sink);
  const since = stalls.get(sink) ?? world.now();
  stalls.set(sink, since);
  if (world.now() - since < longestStall) return;
  givenUp = `Sink ${sink} was stalled for more than 6 hours: ${why ?? ""}`;
  stop.abort();
}

/** Tells of rates and lags that have changed although the sink is in the same state, and of nodes. */
function noteFigures(): void {
  const nodes = counter.read();
  const text = JSON.stringify(nodes);
  if (text !== toldNodes) tell({ kind: "nodes", nodes });
  toldNodes = text;
  for (const [sink, status] of statuses) {
    const now = { ...status, ...figures.read(sink, status) };
    if (JSON.stringify(now) === JSON.stringify(status)) continue;
    statuses.set(sink, now);
    changed.set(sink, now);
  }
}

/** Says what changes of a sink's state mean for people. */
function noteState(sink: string, state: SinkState): void {
  noteStatus(sink, sinkStatus(state, statuses.get(sink)));
}

function noteStatus(sink: string, told: SinkStatus): void {
  const before = statuses.get(sink);
  const status = { ...told, ...figures.read(sink, told) };
  statuses.set(sink, status);
  changed.set(sink, status);
  countStall(sink, status);
  if (["stalled", "halted", "ended"].includes(status.state)) tap.release(sink);
  if (before?.state === status.state && before.why === status.why) return;
  if (status.state === "stalled") log.say("error", `Sink ${sink} is stalled: ${status.why}`);
  else if (status.state === "halted") log.say("error", `Sink ${sink} has stopped: ${status.why}`);
  else if (before?.state === "stalled") log.say("info", `Sink ${sink} goes on`);
}

/** The archive through the server, except for files that the SQL engine reads by itself. */
function archiveIn({
  channel,
  folder,
}: NonNullable<PipelineStart["archive"]>): LocalArchiveFiles | ArchiveFiles {
  const served = archiveOverPort(channels.open(channel));
  return folder === undefined ? served : { ...served, locate: (path) => join(folder, path) };
}

/** Milliseconds before sinks are asked again that did not answer. */
const beginPause = 5_000;

/** Sets sinks to where the pipeline begins. @returns false if it was interrupted @throws FlowError if they cannot be */
async function begin(
  plan: FlowPlan,
  { begins, snapshot }: Beginning,
  ports: SinkWorld,
  refresh: () => Promise<void>,
): Promise<boolean> {
  const flowWorld = { ...ports, openScratch: openTemporaryScratch };
  const say = (text: string): void => log.say("info", text);
  while (!signal.aborted) {
    try {
      await beginPipeline(plan, begins, () => snapshotOf(snapshot), flowWorld, say);
      return true;
    } catch (error) {
      if (!(error instanceof FlowError && error.isTemporary)) throw error;
      log.say("error", `The pipeline cannot begin yet: ${error.message}`);
      await world.sleep(beginPause).catch(() => undefined);
      await refresh();
    }
  }
  return false;
}

function snapshotOf(text: string | undefined): FlowSnapshot {
  if (text !== undefined) return readSnapshot(parseJson(text));
  throw new SnapshotError("The snapshot is not there any more. Choose another one, or continue from last.");
}

/** How the chains of the server are read. */
function servedChains(): ServedChainOptions {
  const networks = new Map(
    start.networks.map(({ network, name, channel }) => [
      network,
      servedNodes(name, new NodesOverPort(channels.open(channel), signal), world),
    ]),
  );
  const say: ThreadLog["say"] = (level, text) => log.say(level, text);
  const archive = start.archive && archiveIn(start.archive);
  return { networks, archive, verify: start.verify, world, say, signal };
}

async function run(
  { plan, meaning, secrets: known }: Sound,
  from: Beginning,
  database: Database,
): Promise<PipelineEnd> {
  const secrets = new Map(known);
  const flow = { ...plan, name: start.flow };
  const chains = servedChains();
  const wait = async (): Promise<boolean> => {
    await world.sleep(entityPause).catch(() => undefined);
    return !signal.aborted;
  };
  const ports = servedWorld({
    ...{ limits: start.limits, reach: start.reach, files: start.files, database, world },
    secret: (name) => secrets.get(name),
    out: (text) => {
      for (const line of text.trimEnd().split("\n")) log.say("info", line);
    },
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
    const flowWorld: FlowWorld = {
      ...ports,
      ...{ tap, counter },
      onSlower: (sink, why) => log.say("warn", `Sink ${sink}: ${why}`),
      openSource: (source, finalOnly, sink, { onHead }) => {
        const { entity } = source;
        const onSeen = (head: number): void => figures.seen(source.name, head);
        if (!entity) return openServedChain(source, finalOnly, { ...chains, onHead, onSeen });
        const { job } = plan;
        const waitForChanges = (): Promise<boolean> => {
          onHead(undefined);
          return wait();
        };
        const options = { flow: start.flow, job, database, say: chains.say, wait: waitForChanges, signal };
        return openServedEntity({ ...source, entity }, finalOnly, sink, options);
      },
    };
    const onSink = (sink: string, state: SinkState): void => {
      noteState(sink, state);
      if (state.kind === "stalled") void refresh();
    };
    const started = (): void => tell({ kind: "started", meaning });
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
      const opened = { ...flowWorld, admit: ports.admit, openScratch: openTemporaryScratch };
      const hearer = { started, sink: onSink, status: noteStatus, say: chains.say };
      const end = await runServedFlink(order, { flow: opened, database, world }, hearer, signal);
      return end.kind === "stopped" ? stopped() : end;
    }
    if (start.mode === "run" && !(await begin(flow, from, ports, refresh))) return stopped();
    started();
    const ends = await runFlow(flow, { ...flowWorld, changeAdvice }, onSink, signal);
    if (signal.aborted) return stopped();
    const failed = [...ends].find(([, { kind }]) => kind === "halted");
    if (!failed) return { kind: "completed" };
    const [sink, state] = failed;
    return { kind: "failed", why: `Sink ${sink}: ${state.kind === "halted" ? messageOf(state.error) : ""}` };
  } finally {
    ports.close();
  }
}

/** Does some work with the sinks of a pipeline that does not run here. */
async function withSinks(
  { plan, secrets }: Sound,
  database: Database,
  work: (flow: FlowPlan, ports: ReturnType<typeof servedWorld>) => Promise<void>,
): Promise<PipelineEnd> {
  const ports = servedWorld({
    ...{ limits: start.limits, reach: start.reach, files: start.files, database, world },
    secret: (name) => secrets.get(name),
    out: () => undefined,
  });
  try {
    await work({ ...plan, name: start.flow }, ports);
    return { kind: "completed" };
  } finally {
    ports.close();
  }
}

/** Tells how far the sinks are. */
function snapshot(sound: Sound, database: Database): Promise<PipelineEnd> {
  return withSinks(sound, database, async (flow, ports) => {
    const { engine } = start.definition;
    const own = engine ? { ...flow, sinks: splitAgain(flow).own } : flow;
    const taken = await takeSnapshot(own, { ...ports, openScratch: openTemporaryScratch });
    const text = engine
      ? savepointSnapshot(taken, await readDatabaseJob(database, flow.name))
      : JSON.stringify(taken);
    tell({ kind: "snapshot", text });
  });
}

/** Tells how the rows of the sinks were computed. */
function compare(
  sound: Sound,
  findings: PlannedDefinition["findings"],
  database: Database,
): Promise<PipelineEnd> {
  return withSinks(sound, database, async (flow, ports) => {
    const { engine } = start.definition;
    const split = engine && splitAgain(flow);
    const own = split ? { ...flow, sinks: split.own } : flow;
    const sinks = [
      ...(await compareSinks(own, { ...ports, openScratch: openTemporaryScratch })),
      ...(split ? compareFlinkSinks(split, engine.integers, await readDatabaseJob(database, flow.name)) : []),
    ];
    tell({ kind: "compared", compared: { findings, sinks } });
  });
}

/** Does something with what the sinks keep. */
function perform(task: PipelineTask, sound: Sound, database: Database): Promise<PipelineEnd> {
  return withSinks(sound, database, async (flow, ports) => {
    const onProgress = (text: string): void => {
      progress = text;
    };
    const options = { ports, chains: servedChains(), database, signal, onProgress };
    tell({ kind: "performed", result: await performServedTask(flow, task, options) });
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
    if (start.mode === "snapshot") return await snapshot(sound, database);
    if (start.mode === "compare") return await compare(sound, findings, database);
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
function dropping(plan: FlowPlan): FlowPlan {
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

function endOf(error: unknown): PipelineEnd {
  return signal.aborted ? stopped() : { kind: "failed", why: messageOf(error) };
}

const end = await work().catch(endOf);
noteFigures();
report();
tell({ kind: "ended", end });
