import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { Semaphore } from "../../base/semaphore.js";
import { wait } from "../../base/wait.js";
import type { World } from "../../base/world.js";
import type { VerifyMode } from "../../runtime/indexer/verification.js";
import type { Database } from "../../store/database/database.js";
import { serveDatabase } from "../../store/database/port/serve-database.js";
import type { DeploymentError } from "../../store/deployments/health.js";
import type { BuiltFiles } from "../../subgraph/runnable/built-subgraph.js";
import type {
  GraftAnswer,
  NamedHandler,
  ThreadEnd,
  ThreadNews,
  ThreadOrder,
  ThreadStart,
} from "./messages.js";
import { Pulse } from "./pulse.js";

/** What threads have in common. */
export interface ThreadSurroundings {
  readonly database: Database;
  /** Has threads use a database that lies in this process one after the other. */
  readonly mutex: Semaphore;
  /** The address of the database, where it is a server. */
  readonly address: string | undefined;
  readonly world: Pick<World, "now" | "timeout">;
  /** Megabytes of JavaScript's heap. */
  readonly memory: number;
  /** Milliseconds that a handler may take. */
  readonly handlerTime: number;
  /** How lists of logs are proved. */
  readonly verify: VerifyMode;
}

/** What one thread indexes. */
export interface ThreadJob {
  readonly deployment: string;
  readonly build: BuiltFiles;
  readonly nodeName: string;
  readonly hasFiles: boolean;
  /** Has the nodes served to whoever has the other end. */
  serveNodes(port: MessagePort): void;
  /** Whether it may take the entities of another deployment over. @throws DatabaseError */
  mayGraftOnto(base: string): Promise<boolean>;
  hear(news: Exclude<ThreadNews, { kind: "ended" | "handler" | "graft" }>): void;
}

/** A thread that indexes a deployment. */
export interface RunningThread {
  /** How it ended, fulfilled once nothing of it is left. */
  readonly ended: Promise<ThreadEnd>;
  /** Has it end at a block, whole; at the latest after a while, when the block that is under way is dropped. */
  stop(): Promise<void>;
  /** Ends it when it has given no sign of life for too long. */
  check(): void;
}

/** Starts a thread. */
export type StartThread = (job: ThreadJob, surroundings: ThreadSurroundings) => RunningThread;

/** Milliseconds within which a thread has to end when it is asked to: a handler may be running. */
const grace = 10_000;
/** Milliseconds that count between two looks at a thread, whatever the clock says. */
const longestLook = 5_000;

/** One in a worker. */
export class DeploymentThread implements RunningThread {
  readonly ended: Promise<ThreadEnd>;
  readonly #worker: Worker;
  readonly #surroundings: ThreadSurroundings;
  readonly #pulse = new Pulse();
  /** Handlers by the numbers that stand for them in the pulse. */
  readonly #handlers = new Map<number, NamedHandler>();
  readonly #over = new AbortController();
  /** How often it had given a sign of life, when that was looked at last, and for how long there was no other. */
  #seenBeats = 0;
  #checkedAt: number;
  #silence = 0;
  #end: ThreadEnd | undefined;

  constructor(job: ThreadJob, surroundings: ThreadSurroundings) {
    this.#surroundings = surroundings;
    this.#checkedAt = surroundings.world.now();
    const nodes = new MessageChannel();
    job.serveNodes(nodes.port1);
    const { database, given } = this.#databaseFor(surroundings);
    const { deployment, build, nodeName, hasFiles } = job;
    const start: ThreadStart = {
      deployment,
      build,
      database,
      nodes: nodes.port2,
      nodeName,
      hasFiles,
      verify: surroundings.verify,
      pulse: this.#pulse.memory,
    };
    this.#worker = new Worker(new URL("./deployment-worker.js", import.meta.url), {
      workerData: start,
      transferList: [nodes.port2, ...given],
      // Flags of the parent, such as loaders or the inspector, are not meant for the thread.
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
    this.#worker.on("message", (news: ThreadNews) => {
      if (news.kind === "handler") return void this.#handlers.set(news.number, news.of);
      if (news.kind === "graft") return void this.#answer(job, news.base);
      if (news.kind !== "ended") return job.hear(news);
      this.#end ??= news.end;
      void this.#worker.terminate();
    });
    this.#worker.on("error", (error: NodeJS.ErrnoException) => {
      this.#end ??= failed(
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? `It used more than ${surroundings.memory} MB of memory and was stopped`
          : `Its thread failed: ${error.message}`,
      );
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once("exit", (code) => {
        this.#over.abort();
        resolve(this.#end ?? failed(`Its thread exited with code ${code}`));
      });
    });
  }

  async #answer(job: ThreadJob, base: string): Promise<void> {
    const answer = await job.mayGraftOnto(base).then(
      (mayGraft): GraftAnswer => ({ mayGraft }),
      (error: unknown): GraftAnswer => ({ problem: error instanceof Error ? error.message : String(error) }),
    );
    this.#worker.postMessage(answer satisfies ThreadOrder);
  }

  async stop(): Promise<void> {
    this.#worker.postMessage("stop" satisfies ThreadOrder);
    await wait(grace, this.#surroundings.world, this.#over.signal);
    this.#end ??= { kind: "stopped" };
    await this.#worker.terminate();
    await this.ended;
  }

  check(): void {
    const { world, handlerTime } = this.#surroundings;
    const { beats } = this.#pulse;
    const now = world.now();
    // A machine that was asleep has held up the threads, too.
    this.#silence += Math.min(now - this.#checkedAt, longestLook);
    this.#checkedAt = now;
    // It is not measured how long the thread takes to start.
    if (beats !== this.#seenBeats || beats === 0) {
      this.#seenBeats = beats;
      this.#silence = 0;
    } else if (this.#silence > handlerTime) {
      this.#end ??= this.#runaway(handlerTime / 1000);
      void this.#worker.terminate();
    }
  }

  #runaway(seconds: number): ThreadEnd {
    const running = this.#handlers.get(this.#pulse.handler);
    const what = running ? `The handler ${running.handler} of ${running.source}` : "It";
    const message = `${what} ran for more than ${seconds} seconds and was stopped: it seems to run forever`;
    const block = { number: this.#pulse.block };
    return failed(message, running && { ...running, block });
  }

  #databaseFor({ database, address, mutex }: ThreadSurroundings): {
    readonly database: ThreadStart["database"];
    readonly given: readonly MessagePort[];
  } {
    if (address !== undefined) return { database: { kind: "postgres", address }, given: [] };
    const { port1, port2 } = new MessageChannel();
    serveDatabase(database, port1, mutex);
    return { database: { kind: "port", port: port2 }, given: [port2] };
  }
}

/** The end of a thread from outside. */
function failed(message: string, where: Partial<DeploymentError> = {}): ThreadEnd {
  return { kind: "failed", error: { ...where, message, deterministic: false }, isRecorded: false };
}
