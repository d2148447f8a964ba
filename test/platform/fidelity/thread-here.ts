import { setImmediate } from "node:timers/promises";
import type { World } from "../../../src/base/world.js";
import type { RunningThread, ThreadJob } from "../../../src/hosting/embedded/deployment-thread.js";
import { indexDeployment } from "../../../src/hosting/embedded/index-deployment.js";
import type { ThreadEnd, ThreadNews } from "../../../src/hosting/embedded/messages.js";
import { Pulse } from "../../../src/hosting/embedded/pulse.js";
import { ThreadLog } from "../../../src/hosting/embedded/thread-log.js";
import type { Files } from "../../../src/runtime/files/files.js";
import type { Database } from "../../../src/store/database/database.js";
import type { PlayedClock } from "./played-clock.js";

/** The parts that these threads share. */
export interface ThreadsHere {
  readonly database: Database;
  readonly clock: PlayedClock;
  /** Reaches the node. */
  readonly fetch: World["fetch"];
  readonly files: Files;
}

/**
 * Indexes a deployment in the test's own thread, because starting a worker would take longer than the indexing. The
 * test says when there may be new blocks, and learns when there is nothing left to do.
 */
export class ThreadHere implements RunningThread {
  readonly ended: Promise<ThreadEnd>;
  readonly #stop = new AbortController();
  readonly #clock: PlayedClock;
  #goOn: (() => void) | undefined;
  #isResting = false;
  #isOver = false;
  #hearers: (() => void)[] = [];

  constructor(job: ThreadJob, { database, clock, fetch, files }: ThreadsHere) {
    this.#clock = clock;
    const log = new ThreadLog(clock.now);
    const tell = (news: ThreadNews): void => {
      if (
        news.kind !== "handler" &&
        news.kind !== "ended" &&
        news.kind !== "may-read" &&
        news.kind !== "turn"
      )
        job.hear(news);
    };
    const work = indexDeployment({
      deployment: job.deployment,
      build: job.build,
      database,
      nodeName: job.nodeName,
      files,
      verify: "bloom",
      proofs: true,
      log,
      world: {
        fetch,
        now: clock.now,
        sleep: (milliseconds) => this.#rest((go) => this.#clock.after(milliseconds, go)),
        timeout: clock.timeout,
        random: () => 0.5,
        breathe: () => setImmediate(),
      },
      signal: this.#stop.signal,
      pulse: new Pulse(),
      tell,
      mayRead: (base) => job.mayRead(base),
      waitForBlocks: () =>
        this.#rest((go) => {
          this.#goOn = go;
        }),
    });
    this.ended = work.then((end) => {
      tell({ kind: "lines", lines: log.take() });
      this.#isOver = true;
      this.#nowRests();
      return end;
    });
  }

  /** Whether the thread has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the thread waits for blocks or for time to pass, or has ended. */
  resting(): Promise<void> {
    return this.#isResting ? Promise.resolve() : new Promise((heard) => void this.#hearers.push(heard));
  }

  /** Makes the thread look for blocks, if it waits for them. */
  wake(): void {
    this.#goOn?.();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  /** No check: a thread that hangs makes the test time out. */
  check(): void {}

  #rest(begin: (go: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#isResting = false;
        resolve();
      };
      this.#stop.signal.addEventListener("abort", go, { once: true });
      begin(go);
      this.#nowRests();
    });
  }

  #nowRests(): void {
    this.#isResting = true;
    for (const heard of this.#hearers.splice(0)) heard();
  }
}
