import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { messageOf } from "../../base/text/message-of.js";
import type { FairTurns } from "../../base/turns/fair-turns.js";
import { guarded } from "../../base/turns/guarded.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { Database } from "../../store/database/database.js";
import type { DatabaseTurns } from "../../store/database/port/database-turns.js";
import { serveDatabase } from "../../store/database/port/serve-database.js";
import type { DeploymentError } from "../../store/deployments/health.js";
import type { BuiltFiles } from "../../subgraph/runnable/built-subgraph.js";
import { serveArchive } from "./archive-port.js";
import type {
  NamedHandler,
  ReadAnswer,
  ThreadEnd,
  ThreadNews,
  ThreadOrder,
  ThreadStart,
} from "./messages.js";
import { Pulse } from "./pulse.js";
import type { HandlerTurns, Seat } from "./turns/handler-turns.js";
import type { SharedSource } from "./turns/shared-source.js";

/** The settings that all threads share. */
export interface ThreadSurroundings {
  readonly database: Database;
  /** The turns of threads with a database in this process. */
  readonly turns: DatabaseTurns;
  /** The turns of threads to start, because loading takes a processor for longer than most blocks do. */
  readonly startTurns: FairTurns;
  /** The turns of threads to run handlers. */
  readonly handlerTurns: HandlerTurns;
  /** The address of the database, if it is on a server. */
  readonly address: string | undefined;
  readonly world: Pick<World, "now" | "timeout">;
  /** Megabytes of the JavaScript heap. */
  readonly memory: number;
  /** The most milliseconds that a handler may take. */
  readonly handlerTime: number;
  /** How lists of logs are verified. */
  readonly verify: VerifyMode;
  /** Whether new deployments keep proofs of indexing. */
  readonly proofs: boolean;
  /** Where chain data is kept. */
  readonly archive: ArchiveFiles | undefined;
  /** Receives the system's message when the archive's files cannot be used. */
  onArchiveFailure?(why: string): void;
}

/** The work of one thread. */
export interface ThreadJob {
  readonly deployment: string;
  /** The project whose turns it uses. */
  readonly project: string;
  readonly build: BuiltFiles;
  readonly nodeName: string;
  /** A service with the history of its network. */
  readonly history: SharedSource | undefined;
  readonly hasIpfs: boolean;
  /** Serves the nodes to the other end of a port. */
  serveNodes(port: MessagePort): void;
  /** Whether it may read the entities of another deployment. @throws DatabaseError */
  mayRead(other: string): Promise<boolean>;
  hear(news: Exclude<ThreadNews, { kind: "ended" | "handler" | "may-read" | "turn" }>): void;
}

/** A thread that indexes a deployment. */
export interface RunningThread {
  /** Resolves with the outcome once the thread is gone. */
  readonly ended: Promise<ThreadEnd>;
  /** Stops it at a whole block. After a while it is stopped anyway, and the current block is dropped. */
  stop(): Promise<void>;
  /** Ends it if it has shown no sign of life for too long. */
  check(): void;
}

export type StartThread = (job: ThreadJob, surroundings: ThreadSurroundings) => RunningThread;

/** Milliseconds that a thread has to stop on request, because a handler may be running. */
const grace = 10_000;
/** The most milliseconds that count between two checks of a thread, even if the clock jumps. */
const longestLook = 5_000;

/**
 * The most milliseconds for which a starting thread delays others, for example while the database does not answer.
 */
const longestStart = 10_000;

/** A worker that has loaded. */
interface StartedThread {
  readonly exited: Promise<ThreadEnd>;
  readonly seat: Seat;
}

/** News of a thread that has loaded. */
const loaded: ReadonlySet<ThreadNews["kind"]> = new Set(["begun", "may-read", "waiting", "failing"]);

/** A deployment thread in a worker. */
export class DeploymentThread implements RunningThread {
  readonly ended: Promise<ThreadEnd>;
  readonly #surroundings: ThreadSurroundings;
  readonly #pulse = new Pulse();
  /** Handlers by their numbers in the pulse. */
  readonly #handlers = new Map<number, NamedHandler>();
  /** Aborted when the thread no longer needs to start. */
  readonly #unwanted = new AbortController();
  readonly #over = new AbortController();
  /** Missing until it has its turn to start. */
  #worker: Worker | undefined;
  /** The number of signs of life at the last check, and the time since the last new one. */
  #seenBeats = 0;
  #checkedAt: number;
  #silence = 0;
  #end: ThreadEnd | undefined;

  constructor(job: ThreadJob, surroundings: ThreadSurroundings) {
    this.#surroundings = surroundings;
    this.#checkedAt = surroundings.world.now();
    this.ended = this.#run(job);
  }

  async #run(job: ThreadJob): Promise<ThreadEnd> {
    const { startTurns } = this.#surroundings;
    const { signal } = this.#unwanted;
    try {
      const { exited, seat } = await startTurns.run(job.project, () => this.#start(job), signal);
      const end = await exited;
      seat.leave();
      return end;
    } catch (error) {
      if (signal.aborted) return { kind: "stopped" };
      return failed(`Its thread could not start: ${messageOf(error)}`);
    } finally {
      this.#over.abort();
    }
  }

  /** Starts the worker. @returns once it has loaded and begun, cannot begin for now, takes too long, or has ended */
  async #start(job: ThreadJob): Promise<StartedThread> {
    const surroundings = this.#surroundings;
    const nodes = new MessageChannel();
    job.serveNodes(nodes.port1);
    const { database, given } = databaseFor(job, surroundings);
    const archive = archiveFor(surroundings);
    const history = historyFor(job);
    const { deployment, build, nodeName, hasIpfs } = job;
    const seat = surroundings.handlerTurns.join(job.project, () =>
      worker.postMessage("turn" satisfies ThreadOrder),
    );
    const start: ThreadStart = {
      deployment,
      build,
      database,
      nodes: nodes.port2,
      archive,
      nodeName,
      history,
      hasIpfs,
      verify: surroundings.verify,
      proofs: surroundings.proofs,
      pulse: this.#pulse.memory,
      turn: seat.memory,
    };
    const worker = new Worker(new URL("./deployment-worker.js", import.meta.url), {
      workerData: start,
      transferList: [
        nodes.port2,
        ...(archive ? [archive] : []),
        ...(history ? [history.turns] : []),
        ...given,
      ],
      // Do not pass on the parent's flags, such as loaders or the inspector.
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: surroundings.memory,
        maxYoungGenerationSizeMb: 8,
        stackSizeMb: 8,
      },
      name: deployment,
    });
    this.#worker = worker;
    const hasLoaded = new Promise<void>((resolve) => {
      const take = (news: ThreadNews): unknown => {
        if (loaded.has(news.kind)) resolve();
        if (news.kind === "handler") return this.#handlers.set(news.number, news.of);
        if (news.kind === "turn") return news.isOver ? seat.over() : seat.ask();
        if (news.kind === "may-read") return this.#answer(worker, job, news.other);
        if (news.kind !== "ended") return job.hear(news);
        this.#end ??= news.end;
        return worker.terminate();
      };
      worker.on(
        "message",
        guarded(take, (error) => {
          this.#end ??= failed(messageOf(error));
          void worker.terminate();
        }),
      );
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      this.#end ??= failed(
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? `It used more than ${surroundings.memory} MB of memory and was stopped`
          : `Its thread failed: ${messageOf(error)}`,
      );
    });
    const exited = new Promise<ThreadEnd>((resolve) => {
      worker.once("exit", (code) => resolve(this.#end ?? failed(`Its thread exited with code ${code}`)));
    });
    const tooLong = wait(longestStart, surroundings.world, this.#over.signal);
    await Promise.race([hasLoaded, exited, tooLong]);
    return { exited, seat };
  }

  async #answer(worker: Worker, job: ThreadJob, other: string): Promise<void> {
    const answer = await job.mayRead(other).then(
      (mayRead): ReadAnswer => ({ mayRead }),
      (error: unknown): ReadAnswer => ({ problem: messageOf(error) }),
    );
    worker.postMessage(answer satisfies ThreadOrder);
  }

  async stop(): Promise<void> {
    this.#unwanted.abort();
    this.#worker?.postMessage("stop" satisfies ThreadOrder);
    await wait(grace, this.#surroundings.world, this.#over.signal);
    this.#end ??= { kind: "stopped" };
    await this.#worker?.terminate();
    await this.ended;
  }

  check(): void {
    const { world, handlerTime } = this.#surroundings;
    const { beats } = this.#pulse;
    const now = world.now();
    // If the machine was asleep, the threads were too.
    this.#silence += Math.min(now - this.#checkedAt, longestLook);
    this.#checkedAt = now;
    // The thread's start time does not count.
    if (beats !== this.#seenBeats || beats === 0) {
      this.#seenBeats = beats;
      this.#silence = 0;
    } else if (this.#silence > handlerTime) {
      this.#end ??= this.#runaway(handlerTime / 1000);
      void this.#worker?.terminate();
    }
  }

  #runaway(seconds: number): ThreadEnd {
    const running = this.#handlers.get(this.#pulse.handler);
    const what = running ? `The handler ${running.handler} of ${running.source}` : "It";
    const message = `${what} ran for more than ${seconds} seconds and was stopped: it seems to run forever`;
    const block = { number: this.#pulse.block };
    return failed(message, running && { ...running, block });
  }
}

function databaseFor(
  { project, deployment }: ThreadJob,
  { database, address, turns }: ThreadSurroundings,
): { readonly database: ThreadStart["database"]; readonly given: readonly MessagePort[] } {
  if (address !== undefined) return { database: { kind: "postgres", address }, given: [] };
  const { port1, port2 } = new MessageChannel();
  serveDatabase(database, port1, turns.of(project, deployment));
  return { database: { kind: "port", port: port2 }, given: [port2] };
}

function historyFor({ project, history }: ThreadJob): ThreadStart["history"] {
  if (!history) return undefined;
  const { port1, port2 } = new MessageChannel();
  history.serve(project, port1);
  return { place: history.place, turns: port2 };
}

function archiveFor({ archive, onArchiveFailure }: ThreadSurroundings): MessagePort | undefined {
  if (!archive) return undefined;
  const { port1, port2 } = new MessageChannel();
  serveArchive(archive, port1, onArchiveFailure);
  return port2;
}

/** A thread was ended from outside. */
function failed(message: string, where: Partial<DeploymentError> = {}): ThreadEnd {
  return { kind: "failed", error: { ...where, message, deterministic: false }, isRecorded: false };
}
