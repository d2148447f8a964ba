import { join } from "node:path";
import { reportFailure } from "../../base/failures.js";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { inBackground } from "../../base/turns/guarded.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import { serveArchive } from "../../hosting/embedded/archive-port.js";
import type { SharedSource } from "../../hosting/embedded/turns/shared-source.js";
import type { PlacedArchiveFiles } from "../../machine/files/archive-files.js";
import type { ProcessMemoryGuard } from "../../machine/processes/memory-guard.js";
import type { Asker } from "../../rpc/asker.js";
import type { SayLine } from "../../rpc/node-watch.js";
import type { Nodes } from "../../rpc/nodes.js";
import { serveNodes } from "../../rpc/serve-nodes.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseTurns } from "../../store/database/port/database-turns.js";
import { serveDatabase } from "../../store/database/port/serve-database.js";
import { PipelineError } from "../changes/pipeline-error.js";
import { openKafka as connectKafka } from "../machine/kafka/open-kafka.js";
import { noLogin, placeOf, type SharedFlinkPlace } from "./flink/flink-place.js";
import { dropJob, type LeftTopicsWorld, pauseLeftJob } from "./flink/left-jobs.js";
import type { PipelineStart } from "./messages.js";
import type {
  PipelineEngine,
  PipelineHearer,
  PipelineOrder,
  PipelineTaskResult,
  RunningPipeline,
} from "./pipeline-engine.js";
import { PreparedRuns } from "./prepared-runs.js";
import { resourceSizes } from "./resource-sizes.js";
import { endError, type PipelineJob, type PipelineProcess, startPipelineProcess } from "./start-pipeline.js";
import { hasDatabaseJob } from "./state/kept-jobs.js";
import { dropStates } from "./state/state-rows.js";

/** How far a process stands back that a user waits for. The server itself has 0. */
const waitedFor = 3;

/** The same for one pipeline of a project, and for a task. */
const alone = 6;

const task = 10;

/** The farthest that there is. */
const last = 19;

/** The shares of two processes on a busy machine whose priorities are next to each other, on Linux. */
const step = 1.25;

/** The work of a process. */
export type ProcessMode = "check" | "compare" | "preview" | "snapshot" | "run" | "task";

/** A process whose priority can change. */
interface Ranked {
  /** @param nice 0 as the server, up to 19 */
  standBack(nice: number): void;
}

/**
 * The priorities of pipelines' processes. The more pipelines a project runs, the less each of them gets of a busy machine,
 * so that 50 get about as much as three of projects with one.
 */
export class Priorities {
  readonly #running = new Map<string, Set<Ranked>>();

  /** Sets the priority of a process, and that of its project's others. @returns what to do once it has ended */
  join(project: string, mode: ProcessMode, one: Ranked): () => void {
    if (mode !== "run") {
      one.standBack(mode === "task" ? task : waitedFor);
      return () => undefined;
    }
    const own = this.#running.get(project) ?? new Set();
    this.#running.set(project, own.add(one));
    rank(own);
    return () => {
      own.delete(one);
      if (own.size === 0) this.#running.delete(project);
      rank(own);
    };
  }
}

/** What an engine of pipelines is made of. */
export interface PipelineEngineOptions {
  /** The server's database, migrated. The engine does not close it. */
  readonly database: Database;
  /** Its address if it is on a server. Processes of pipelines open connections of their own to it. */
  readonly address?: string | undefined;
  readonly world: World;
  /** The server's nodes. The engine does not close them. */
  readonly nodes: Nodes;
  readonly verify: VerifyMode;
  /** Services with history, by network. */
  readonly histories?: ReadonlyMap<string, SharedSource> | undefined;
  /** Where what is read of chains is kept. */
  readonly archive?: PlacedArchiveFiles | undefined;
  /** Which private addresses pipelines may reach. */
  readonly reach: PipelineStart["reach"];
  /** The folder with a folder of files for each project, absolute; without it, there are no sinks of type `file`. */
  readonly files?: string | undefined;
  /** Megabytes that the files of a project may take. Default: 10,240. */
  readonly filesMegabytes?: number | undefined;
  /** Where pipelines run whose queries Flink runs; without it, there are none. */
  readonly flink?: SharedFlinkPlace | undefined;
  /** Opens the Kafka of Flink's topics, to delete them. */
  readonly openKafka?: LeftTopicsWorld["openKafka"];
  readonly say?: SayLine | undefined;
  /** Counts the memory of processes, and refuses checks and previews when there is too little. */
  readonly memory?: ProcessMemoryGuard | undefined;
  /** Milliseconds that a check of a definition may take. Default: 30 seconds. */
  readonly checkTime?: number | undefined;
}

/** Checks of definitions: each takes a process. Projects take turns. */
const checkLimits = {
  atOnce: 2,
  atOnceOfOne: 1,
  waitingOfOne: 8,
  refusal:
    "This project has 8 checks of pipelines waiting already, which are made one after another. Wait for them, then try again.",
};
/** Tasks. They may take as much memory as a pipeline, and long. */
const taskLimits = {
  atOnce: 4,
  atOnceOfOne: 1,
  waitingOfOne: 50,
  refusal: "This project has 50 tasks of pipelines waiting already. Wait for them, then try again.",
};
/** Milliseconds that a check may take unless the operator says otherwise. */
export const usualCheckTime = 30_000;
/** Milliseconds after which a task is ended. */
const longestTask = 6 * 3_600_000;
/** Milliseconds that sinks have to say how far they are. */
const snapshotTime = 30_000;

const endedEarly = "it was ended before it was done";

/** What a server knows besides. */
export type ServedBy = Pick<PipelineEngineOptions, "database" | "world" | "nodes" | "histories">;

/** Returns what creates the engine of a server's pipelines, once the rest of the server is known. */
export function pipelinesOn(
  own: Pick<
    PipelineEngineOptions,
    | "address"
    | "verify"
    | "archive"
    | "files"
    | "filesMegabytes"
    | "flink"
    | "openKafka"
    | "say"
    | "checkTime"
    | "memory"
  >,
): (server: ServedBy, reach: PipelineEngineOptions["reach"]) => PipelineEngine {
  return ({ database, world, nodes, histories }, reach) =>
    createPipelineEngine({ ...own, database, world, nodes, histories, reach });
}

/** Creates the engine that runs pipelines in processes of their own, which reach the server's nodes over channels. */
export function createPipelineEngine(options: PipelineEngineOptions): PipelineEngine {
  const { database, address, world, nodes, verify, archive, reach, files, flink, say } = options;
  const { openKafka = connectKafka, checkTime = usualCheckTime, filesMegabytes = 10_240, memory } = options;
  const turns = new DatabaseTurns();
  const checks = new FairTurns(checkLimits);
  const tasks = new FairTurns(taskLimits);
  const running = new Set<RunningPipeline>();
  const priorities = new Priorities();

  memory?.add(() => [...running].reduce((sum, one) => sum + (one.memory() ?? 0), 0));

  const begin = (
    mode: PipelineStart["mode"],
    { flow, definition, size, begins, snapshot, host }: PipelineOrder,
    hear: PipelineJob["hear"],
    { task, waits = false }: Partial<Pick<PipelineStart, "task" | "waits">> = {},
  ): PipelineProcess => {
    const [project = "", name = ""] = flow.split("/");
    const asker: Asker = { kind: "pipelines", project, name };
    const started = startPipelineProcess(
      {
        start: (give) => ({
          mode,
          waits,
          flow,
          definition,
          begins,
          snapshot,
          task,
          limits: resourceSizes[size],
          verify,
          reach,
          flink: definition.engine && flink && (placeOf(project, flink) ?? "no-login"),
          // Others ask no node.
          networks: (mode === "check" || mode === "snapshot" ? [] : nodes.networks).flatMap((network) => {
            const gateway = nodes.of(network);
            if (!gateway) return [];
            const channel = give((port) => serveNodes(asker, gateway, undefined, port));
            // A task compares rows with what the node says.
            const shared = mode === "task" ? undefined : options.histories?.get(network);
            const history = shared && {
              place: shared.place,
              channel: give((port) => shared.serve(project, port)),
            };
            return [{ network, name: gateway.name, channel, ...(history && { history }) }];
          }),
          database:
            address === undefined
              ? {
                  kind: "channel",
                  channel: give((port) => serveDatabase(database, port, turns.of(project, name))),
                }
              : { kind: "postgres", address },
          archive: archive && {
            channel: give((port) =>
              serveArchive(archive, port, (why) => say?.("warn", `The archive: ${why}`)),
            ),
            folder: archive.place,
          },
          files: files === undefined ? undefined : join(files, project),
          filesMegabytes,
        }),
        answers: host,
        hear(news) {
          if (news.kind !== "refused") return hear(news);
          say?.("warn", `Pipeline ${flow} may not connect to ${news.place}: ${news.why}`);
        },
      },
      world,
    );
    running.add(started);
    const leave = priorities.join(project, mode, started);
    inBackground(
      started.ended.then(() => {
        running.delete(started);
        leave();
      }),
      reportFailure,
    );
    return started;
  };
  const start = (mode: "run" | "preview", order: PipelineOrder, hearer: PipelineHearer): RunningPipeline =>
    begin(mode, order, (news) => passOn(news, hearer));

  const prepared = new PreparedRuns((order, hear) => begin("run", order, hear, { waits: true }), world);

  /** Does something that must not take long, in the turn of a project. @param signal of the one who waits for it */
  const inTurn = <Result>(
    project: string,
    time: number,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> =>
    checks.run(
      project,
      async () => {
        memory?.require();
        const late = new AbortController();
        const done = new AbortController();
        const end = wait(time, world, done.signal).then(() => {
          if (!done.signal.aborted) late.abort(tookTooLong(time));
        });
        inBackground(end, reportFailure);
        try {
          return await work(AbortSignal.any([late.signal, ...(signal ? [signal] : [])]));
        } finally {
          done.abort();
        }
      },
      signal,
    );

  /** Starts a process that only tells something. @param answerOf the answer in what it tells */
  const asking = async <Answer>(
    mode: "check" | "snapshot" | "compare",
    order: PipelineOrder,
    signal: AbortSignal,
    answerOf: (news: Parameters<PipelineJob["hear"]>[0]) => Answer | undefined,
  ): Promise<Answer> => {
    let answer: Answer | undefined;
    const asked = begin(mode, order, (news) => {
      answer = answerOf(news) ?? answer;
    });
    signal.addEventListener("abort", () => asked.kill(), { once: true });
    const end = await asked.ended;
    if (answer !== undefined) return answer;
    signal.throwIfAborted();
    throw endError(end, "it was stopped");
  };

  const askSinks = <Answer>(
    mode: "snapshot" | "compare",
    order: Omit<PipelineOrder, "begins" | "snapshot">,
    outer: AbortSignal | undefined,
    answerOf: (news: Parameters<PipelineJob["hear"]>[0]) => Answer | undefined,
  ): Promise<Answer> =>
    inTurn(order.host.project, Math.max(checkTime, snapshotTime), outer, (signal) =>
      asking(mode, { ...order, begins: "continue" }, signal, answerOf),
    );

  return {
    check: (definition, host, outer, toCome) =>
      inTurn(host.project, checkTime, outer, (signal) => {
        const order = { definition, begins: "continue", host };
        if (toCome) return prepared.check({ ...toCome, ...order }, signal);
        return asking("check", { flow: "check", size: "s", ...order }, signal, (news) =>
          news.kind === "checked" ? news.checked : undefined,
        );
      }),
    run: (order, hearer) =>
      prepared.take(order, (news) => passOn(news, hearer)) ?? start("run", order, hearer),
    snapshot: (order, signal) =>
      askSinks("snapshot", order, signal, (news) => (news.kind === "snapshot" ? news.text : undefined)),
    compare: (order, signal) =>
      askSinks("compare", order, signal, (news) => (news.kind === "compared" ? news.compared : undefined)),
    perform: (order, task, onProgress, signal) =>
      (task.kind === "parked" ? checks : tasks).run(order.host.project, async () => {
        if (signal.aborted) throw new Error(endedEarly);
        let result: PipelineTaskResult | undefined;
        const hear: PipelineJob["hear"] = (news) => {
          if (news.kind === "performed") result = news.result;
          else if (news.kind === "progress") onProgress(news.text);
        };
        const performing = begin("task", { ...order, begins: "continue" }, hear, { task });
        const over = new AbortController();
        const limit = task.kind === "parked" ? snapshotTime : longestTask;
        const stop = wait(limit, world, AbortSignal.any([over.signal, signal])).then(() => performing.stop());
        inBackground(stop, reportFailure);
        const end = await performing.ended;
        over.abort();
        if (result) return result;
        throw endError(end, endedEarly);
      }),
    preview: (order, hearer) => start("preview", order, hearer),
    flink: flink && {
      gateway: flink.gateway,
      admits: (project) => placeOf(project, flink) !== undefined,
    },
    pauseLeftJob: async (flow) => flink && pauseLeftJob(flow, { gateway: flink.gateway, database, world }),
    async forget(flow, isGone) {
      const hasJob = await hasDatabaseJob(database, flow);
      const hadStates = await dropStates(database, flow, isGone);
      if (!hadStates || !flink || !hasJob) return hadStates;
      const [project = ""] = flow.split("/");
      const place = placeOf(project, flink);
      if (!place) throw new PipelineError(noLogin, false);
      await dropJob(flow, { openKafka, ...place, world });
      return true;
    },
    async close() {
      await Promise.all([...running].map((one) => one.stop("leave")));
    },
  };
}

function passOn(news: Parameters<PipelineJob["hear"]>[0], hearer: PipelineHearer): void {
  if (news.kind === "started") hearer.started(news.meaning);
  else if (news.kind === "state") hearer.state(news.sink, news.status);
  else if (news.kind === "nodes") hearer.nodes(news.nodes);
  else if (news.kind === "written") hearer.written?.(news.written);
  else if (news.kind === "lines") hearer.lines(news.lines);
  else if (news.kind === "rows") hearer.rows(news.tapped);
}

function tookTooLong(time: number): Error {
  return new Error(
    `It took longer than ${time / 1_000} seconds and was stopped. Make the queries smaller, or divide the definition into several pipelines`,
  );
}

function rank(processes: ReadonlySet<Ranked>): void {
  const nice = Math.min(last, alone + Math.round(Math.log(processes.size) / Math.log(step)));
  for (const one of processes) one.standBack(nice);
}
