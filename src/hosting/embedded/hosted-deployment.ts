import type { Meters } from "../../base/meters.js";
import { messageOf } from "../../base/text/message-of.js";
import { inBackground } from "../../base/turns/guarded.js";
import { Semaphore } from "../../base/turns/semaphore.js";
import type { World } from "../../base/world.js";
import type { Gateway } from "../../rpc/gateway.js";
import { serveNodes } from "../../rpc/serve-nodes.js";
import type { Files } from "../../runtime/files/files.js";
import { findDeployment } from "../../store/deployments/deployments.js";
import { clearFatalError, recordFatalError } from "../../store/deployments/health.js";
import { manifestPath } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type { Manifest } from "../../subgraph/manifest/manifest.js";
import { sourceSubgraphs } from "../../subgraph/manifest/source-subgraphs.js";
import type { BuiltFiles } from "../../subgraph/runnable/built-subgraph.js";
import type { HostedBuild, HostedChange, HostedError } from "../engine.js";
import type { LogBook } from "../logs/log-book.js";
import type { RunningThread, StartThread, ThreadJob, ThreadSurroundings } from "./deployment-thread.js";
import { failureText, hostedErrorOf } from "./hosted-error.js";
import type { Leases } from "./leases.js";
import type { ThreadEnd } from "./messages.js";
import { Rate } from "./rate.js";
import type { SharedSource } from "./turns/shared-source.js";

/** The settings that all deployments of an engine share. */
export interface EngineSurroundings extends ThreadSurroundings {
  readonly world: World;
  readonly leases: Leases;
  readonly logs: LogBook;
  readonly files: Files;
  /** Whether an IPFS gateway is configured. */
  readonly hasIpfs: boolean;
  readonly startThread: StartThread;
  readonly meters: Pick<Meters, "indexed"> | undefined;
  gateway(network: string): Gateway | undefined;
  /** A service with the history of a network. */
  history(network: string): SharedSource | undefined;
  changed(change: HostedChange): void;
}

/** A subgraph that is a source of a deployment. */
export interface HostedSource {
  readonly deployment: string;
  /** Whether the deployment may read it. @throws DatabaseError */
  mayRead(): Promise<boolean>;
}

type HeardNews = Parameters<ThreadJob["hear"]>[0];

/** A deployment that an engine was asked to index or to pause. */
export class HostedDeployment {
  readonly deployment: string;
  readonly network: string;
  readonly #surroundings: EngineSurroundings;
  /** Serialises start, pause and removal. */
  readonly #mutex = new Semaphore(1);
  readonly #rate: Rate;
  #thread: RunningThread | undefined;
  #isPaused: boolean;
  #isWanted = false;
  /** Whether it has paused itself, and the catalog does not show this yet. */
  #isPauseUnsaved = false;
  #isFinished = false;
  #isRemoved = false;
  #startBlock: number | undefined;
  #sources: readonly HostedSource[] = [];
  #head: number | undefined;
  /** Why it ended, if the catalog does not record it. */
  #fatal: HostedError | undefined;
  #waitsFor: string | undefined;
  #waitsSince: number | undefined;
  #isUnwritable = false;

  constructor(
    build: Pick<HostedBuild, "deployment" | "network">,
    surroundings: EngineSurroundings,
    isPaused: boolean,
  ) {
    this.#isPaused = isPaused;
    this.deployment = build.deployment;
    this.network = build.network;
    this.#surroundings = surroundings;
    this.#rate = new Rate(surroundings.world);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Whether it should be indexed, by this server or another. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Missing until it has been started once. */
  get startBlock(): number | undefined {
    return this.#startBlock;
  }

  /** The subgraphs that are its sources; empty until it has been started once. */
  get sources(): readonly HostedSource[] {
    return this.#sources;
  }

  /** Whether all its data sources have ended. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  get fatalError(): HostedError | undefined {
    return this.#fatal;
  }

  /** Why it cannot continue for now, if so. */
  get waitsFor(): string | undefined {
    return this.#waitsFor;
  }

  /** Since when it cannot continue, in milliseconds since 1970. */
  get waitsSince(): number | undefined {
    return this.#waitsSince;
  }

  /** Whether it waits because the database is not writable. */
  get isUnwritable(): boolean {
    return this.#isUnwritable;
  }

  /** The recent number of handlers per second. */
  get handlersPerSecond(): number | undefined {
    return this.#thread && this.#rate.perSecond;
  }

  /** @throws BundleError, DatabaseError and any error from reading the build */
  start(build: HostedBuild): Promise<void> {
    return this.#mutex.run(async () => {
      const { database, leases, logs } = this.#surroundings;
      if (this.#thread || this.#isFinished || this.#isRemoved) return;
      // It was not resumed. The catalog does not show yet that it is paused.
      if (this.#isPauseUnsaved) return this.#savePause(build);
      this.#isWanted = true;
      const isResumed = this.#isPaused;
      const known = await findDeployment(database, this.deployment);
      if (!isResumed && (this.#fatal || (known?.health === "failed" && !known.isRetried))) {
        this.#isWanted = false;
        return;
      }
      if (!(await leases.take(this, isResumed || !known))) {
        // The server with the lease has resumed it and knows why it does not continue.
        this.#isPaused = false;
        this.#goesOn();
        return;
      }
      try {
        if (isResumed) {
          if (known) await clearFatalError(database, known.id);
          logs.say(this.deployment, "info", "Resumed");
        }
        this.#fatal = undefined;
        this.#goesOn();
        const { manifest, files } = await build.read();
        this.#startBlock = startBlockOf(manifest);
        this.#sources = sourceSubgraphs(manifest).map((source) => ({
          deployment: source,
          mayRead: () => build.mayRead(source),
        }));
        this.#startThread(build, { manifest: manifestPath, files });
        this.#isPaused = false;
      } catch (error) {
        this.#isWanted = false;
        this.#waits(messageOf(error));
        logs.say(this.deployment, "warn", `Could not start: ${this.#waitsFor}`);
        await leases.giveBack(this.deployment);
        throw error;
      }
    });
  }

  /** Stops indexing. The next start continues it, even after a failure. */
  pause(): Promise<void> {
    return this.#mutex.run(async () => {
      this.#isWanted = false;
      this.#isPauseUnsaved = false;
      if (this.#isPaused) return;
      this.#isPaused = true;
      this.#isFinished = false;
      const wasRunning = this.#thread !== undefined;
      await this.#stopThread();
      if (!wasRunning) return;
      this.#surroundings.logs.say(this.deployment, "info", `Paused${this.#afterHead}`);
      this.#surroundings.changed({ deployment: this.deployment });
    });
  }

  /** Stops at a whole block and lets another server continue from there. */
  handOver(): Promise<void> {
    return this.#mutex.run(async () => {
      const { leases, logs } = this.#surroundings;
      const wasRunning = this.#thread !== undefined;
      await this.#thread?.stop();
      // Do this before another server can report that it continues.
      if (wasRunning) logs.say(this.deployment, "info", `Handed over to another server${this.#afterHead}`);
      this.#goesOn();
      await leases.giveBack(this.deployment);
    });
  }

  /** Stops because the process does. The next start continues from here. */
  stop(): Promise<void> {
    return this.#mutex.run(() => this.#stopThread());
  }

  /**
   * Runs work while it has no thread and none can start.
   * @param work returns whether it is removed; otherwise it can start again
   * @returns the result of the work
   */
  remove(work: () => Promise<boolean>): Promise<boolean> {
    return this.#mutex.run(async () => {
      this.#isWanted = false;
      await this.#stopThread();
      this.#isRemoved = true;
      this.#isRemoved = await work();
      return this.#isRemoved;
    });
  }

  /**
   * Runs work that takes it back to an earlier block, while it has no thread. It can start again afterwards, even if it
   * had failed or ended.
   */
  rewind(work: () => Promise<number>): Promise<number> {
    return this.#mutex.run(async () => {
      await this.#stopThread();
      const before = await work();
      this.#fatal = undefined;
      this.#isFinished = false;
      this.#head = undefined;
      this.#goesOn();
      return before;
    });
  }

  /** Ends its thread if the thread does not stop on its own. */
  check(): void {
    this.#thread?.check();
  }

  get #afterHead(): string {
    return this.#head === undefined ? "" : ` after block ${this.#head}`;
  }

  async #stopThread(): Promise<void> {
    await this.#thread?.stop();
    await this.#surroundings.leases.giveBack(this.deployment);
  }

  #startThread(build: HostedBuild, files: BuiltFiles): void {
    const { deployment } = this;
    const { project } = build;
    const gateway = this.#surroundings.gateway(this.network);
    if (!gateway) throw new BundleError(`No node is configured for the network ${this.network}`);
    const { files: served, hasIpfs } = this.#surroundings;
    const job = {
      deployment,
      project,
      build: files,
      nodeName: gateway.name,
      history: this.#surroundings.history(this.network),
      hasIpfs,
      mayRead: (other: string) => build.mayRead(other),
      serveNodes: (port: Parameters<typeof serveNodes>[3]) =>
        serveNodes({ kind: "indexing", project, name: deployment }, gateway, served, port),
      hear: (news: HeardNews) => this.#hear(news),
    };
    const thread = this.#surroundings.startThread(job, this.#surroundings);
    this.#thread = thread;
    const ended = thread.ended.then((end) => {
      this.#thread = undefined;
      return this.#mutex.run(() => this.#onEnd(end, build));
    });
    inBackground(ended, (error) => {
      this.#isWanted = false;
      this.#waits(messageOf(error));
      this.#surroundings.logs.say(
        this.deployment,
        "error",
        `Its end could not be handled: ${this.#waitsFor}`,
      );
    });
  }

  #hear(news: HeardNews): void {
    const { logs, changed, meters } = this.#surroundings;
    const { deployment, network } = this;
    switch (news.kind) {
      case "begun":
        this.#tellHead(news.block);
        break;
      case "written": {
        const reverted = this.#revertedBefore(news.block);
        const { block: last, milliseconds } = news;
        meters?.indexed?.({ deployment, network, after: this.#head, last, seconds: milliseconds / 1_000 });
        this.#goesOn();
        this.#tellHead(news.block, reverted);
        break;
      }
      case "caught-up":
        if (this.#waitsFor !== undefined) changed({ deployment: this.deployment });
        this.#goesOn();
        break;
      case "progress":
        this.#rate.add(news.handlers, news.now);
        break;
      case "lines":
        logs.add(news.lines.map((line) => ({ deployment: this.deployment, ...line })));
        break;
      case "failing":
        this.#goesOn();
        changed({ deployment: this.deployment });
        break;
      case "waiting":
        this.#waits(news.why);
        this.#isUnwritable = news.isUnwritable ?? false;
        changed({ deployment: this.deployment });
        break;
    }
  }

  #waits(why: string): void {
    this.#waitsFor = why;
    this.#waitsSince ??= this.#surroundings.world.now();
  }

  #goesOn(): void {
    this.#waitsFor = undefined;
    this.#waitsSince = undefined;
    this.#isUnwritable = false;
  }

  #tellHead(block: number | undefined, reverted = 0): void {
    this.#head = block;
    this.#surroundings.changed({
      deployment: this.deployment,
      ...(block !== undefined && { headBlock: block }),
      ...(reverted > 0 && { reverted }),
    });
  }

  /** How many blocks were reverted to get to a block. While blocks are written, only a reorganisation leads back. */
  #revertedBefore(block = (this.#startBlock ?? 0) - 1): number {
    return this.#head === undefined ? 0 : Math.max(0, this.#head - block);
  }

  async #onEnd(end: ThreadEnd, build: HostedBuild): Promise<void> {
    const { logs, leases, changed } = this.#surroundings;
    if (this.#isRemoved) return;
    if (end.kind === "finished") {
      this.#isFinished = true;
      logs.say(this.deployment, "info", "All data sources have ended. Nothing is left to index");
    } else if (end.kind === "halted") await this.#halt(build);
    else if (end.kind === "failed") await this.#fail(end);
    if (end.kind !== "stopped") {
      this.#isWanted = false;
      await leases.giveBack(this.deployment);
    }
    changed({ deployment: this.deployment });
  }

  /** As in graph-node, a version that fails before it is synced must not replace a working one. */
  async #halt(build: HostedBuild): Promise<void> {
    const { logs } = this.#surroundings;
    const why =
      "a handler failed before indexing was near the chain head, and failures are tolerated only from there on";
    logs.say(this.deployment, "error", `Paused: ${why}. Resume it to continue with the next block`);
    this.#isPaused = true;
    this.#isPauseUnsaved = true;
    try {
      await this.#savePause(build);
    } catch (problem) {
      logs.say(this.deployment, "warn", `Could not save that it is paused: ${messageOf(problem)}`);
    }
  }

  /** @throws DatabaseError */
  async #savePause(build: HostedBuild): Promise<void> {
    await build.keepPaused();
    this.#isPauseUnsaved = false;
  }

  async #fail({ error, isRecorded }: Extract<ThreadEnd, { kind: "failed" }>): Promise<void> {
    const { database, logs, leases } = this.#surroundings;
    if (!isRecorded && !(await leases.holds(this.deployment))) {
      // Another server continues it. That server may have caused the failure.
      logs.say(this.deployment, "warn", `Left to another server: ${error.message}`);
      return;
    }
    this.#fatal = hostedErrorOf(error);
    logs.say(this.deployment, "error", failureText(error));
    try {
      // A build that could not be read has no deployment yet.
      const known = isRecorded ? undefined : await findDeployment(database, this.deployment);
      if (known) await recordFatalError(database, known.id, error);
      if (known || isRecorded) this.#fatal = undefined;
    } catch (problem) {
      // This process remembers the failure. The next one will meet it again.
      logs.say(this.deployment, "warn", `Could not save that it failed: ${messageOf(problem)}`);
    }
  }
}

function startBlockOf({ dataSources }: Manifest): number | undefined {
  const blocks = dataSources.flatMap(({ source }) => {
    const block = (source as { readonly startBlock?: unknown } | undefined)?.startBlock;
    return typeof block === "number" ? [block] : [0];
  });
  return blocks.length === 0 ? undefined : Math.min(...blocks);
}
