import { randomUUID } from "node:crypto";
import { reportFailure } from "../../base/failures.js";
import { hasEnded, processName } from "../../base/process-name.js";
import { messageOf } from "../../base/text/message-of.js";
import { repeat } from "../../base/text/repeat.js";
import { inBackground } from "../../base/turns/guarded.js";
import type {
  PipelineEnd,
  PipelineEngine,
  PipelineFailure,
  PipelineHearer,
  PipelineLine,
  RunningPipeline,
} from "../../pipelines/host/pipeline-engine.js";
import { isResourceSize } from "../../pipelines/host/resource-sizes.js";
import { DatabaseError } from "../../store/database/database.js";
import { keptText } from "../../store/database/kept-text.js";
import type { Platform } from "../platform.js";
import { Lanes } from "../subgraphs/lanes.js";
import { type KeptPipeline, memoryOf, restartAfter } from "./kept-pipeline.js";
import {
  aimedPipeline,
  aimedPipelines,
  endOtherLeases,
  extendLeases,
  holdPipeline,
  letGoOfPipeline,
  noteDeath,
  noteStart,
  observePipeline,
  type PipelineAim,
  rests,
} from "./pipeline-leases.js";
import { writePipelineLines } from "./pipeline-lines.js";
import {
  findPipelineVersion,
  type PipelineName,
  pipelineChannel,
  type RuntimeStatus,
} from "./pipeline-rows.js";
import { hostOf, pipelineIdOf } from "./project-host.js";
import { type RowHearer, RowHearers } from "./row-hearers.js";
import { findSnapshot, pipelinesWithoutSnapshot, type SnapshotCause } from "./snapshot-rows.js";
import { takeSnapshotOf } from "./take-snapshot.js";

/** Times of a keeper, in milliseconds. */
export interface KeeperTimes {
  /** The time between two checks of the catalog when no change is reported. */
  readonly look: number;
  /** The time after which others take over the pipelines of a server that is gone. */
  readonly lease: number;
  /** Between two records of the activity of pipelines. */
  readonly note: number;
  /** Between two snapshots of a pipeline that runs. */
  readonly snapshot: number;
  /** The time between two checks for due snapshots. */
  readonly snapshotLook: number;
}

const usualTimes: KeeperTimes = {
  look: 5_000,
  lease: 15_000,
  note: 500,
  snapshot: 4 * 3_600_000,
  snapshotLook: 60_000,
};
/** Lines of a pipeline that may wait to be written; the others of that moment are dropped, and counted. */
const mostLines = 2_000;

/** Makes the pipelines of this server follow the catalog. Servers with one database share the work by leases. */
export class PipelineKeeper {
  readonly #platform: Platform;
  readonly #engine: PipelineEngine;
  readonly #times: KeeperTimes;
  readonly #holder = randomUUID();
  readonly #process = processName();
  readonly #closing = new AbortController();
  readonly #lanes = new Lanes();
  readonly #kept = new Map<string, KeptPipeline>();
  /** The last reported reasons why jobs left in Flink could not be paused. */
  readonly #unpaused = new Map<string, string>();
  readonly #ends: (() => Promise<void>)[] = [];
  #loops: Promise<unknown> = Promise.resolve();
  #noting: Promise<void> = Promise.resolve();

  constructor(platform: Platform, engine: PipelineEngine, times: Partial<KeeperTimes> = {}) {
    this.#platform = platform;
    this.#engine = engine;
    this.#times = { ...usualTimes, ...times };
  }

  /**
   * Starts the pipelines that should run.
   * @throws DatabaseError
   */
  async start(): Promise<void> {
    const { database, world } = this.#platform;
    const { look, lease, note, snapshotLook } = this.#times;
    const { signal } = this.#closing;
    // A database in a folder has one process, so earlier holders of leases are gone.
    if (database.provider === "pglite") await endOtherLeases(database, this.#holder);
    this.#ends.push(await database.listen(pipelineChannel, () => this.#beginToReconcile()));
    const every = (pause: number, work: () => Promise<void>): Promise<void> =>
      repeat(pause, world, signal, () => this.#quietly(work));
    this.#loops = Promise.all([
      every(look, () => this.reconcile()),
      every(lease / 3, () => this.#extend()),
      every(lease / 15, async () => this.#dropLost()),
      every(note, () => this.#note()),
      every(snapshotLook, () => this.#takeDueSnapshots()),
    ]);
    this.#beginToReconcile();
  }

  #beginToReconcile(): void {
    inBackground(
      this.#quietly(() => this.reconcile()),
      reportFailure,
    );
  }

  /**
   * Makes pipelines follow the catalog. Resolves once all pipelines that should end here have ended.
   * @throws DatabaseError
   */
  async reconcile(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const aims = await aimedPipelines(this.#platform.database);
    const wanted = new Map(aims.map((aim) => [pipelineIdOf(aim), aim]));
    const moves = [...this.#kept.keys()]
      .filter((flow) => !wanted.has(flow))
      .map((flow) => this.#lanes.run(flow, () => this.#quietly(() => this.#end(flow, "cancel"))));
    for (const [flow, aim] of wanted)
      moves.push(this.#lanes.run(flow, () => this.#quietly(() => this.#follow(flow, aim))));
    await Promise.all(moves);
  }

  /**
   * Shows rows that pass nodes of a pipeline, until the returned function is called or it ends.
   * @returns `undefined` if this server does not run it
   */
  tap(name: PipelineName, nodes: readonly string[], hearer: RowHearer): (() => void) | undefined {
    return this.#kept.get(pipelineIdOf(name))?.hearers.add(nodes, hearer);
  }

  /** Whether this server runs a pipeline. */
  runs(name: PipelineName): boolean {
    return this.#kept.has(pipelineIdOf(name));
  }

  /** The pipelines that this server runs. */
  get names(): readonly PipelineName[] {
    return [...this.#kept.values()].map(({ name }) => name);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loops;
    for (const end of this.#ends.splice(0)) await end();
    await this.#lanes.idle();
    await Promise.all([...this.#kept.keys()].map((flow) => this.#quietly(() => this.#end(flow, "leave"))));
  }

  async #follow(flow: string, aim: PipelineAim): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { database, world } = this.#platform;
    const isRun = this.#kept.get(flow)?.generation === aim.generation;
    if (!isRun) await this.#endForChange(flow, aim);
    if (isRun || rests(aim)) return;
    const lease = { holder: this.#holder, process: this.#process, time: this.#times.lease };
    const { holder, holderProcess } = aim;
    const gone = holderProcess !== null && hasEnded(holderProcess) ? holder : null;
    const heldUntil = world.now() + lease.time;
    if (!(await holdPipeline(database, aim, lease, gone))) return;
    // Another server may have run it since the aim was read, even to its end.
    const now = await aimedPipeline(database, aim);
    if (now?.generation !== aim.generation || rests(now)) return letGoOfPipeline(database, aim, this.#holder);
    if (now.status === "ACTIVE") return this.#begin(flow, now, heldUntil);
    const { generation } = aim;
    if (!(await this.#pauseLeftJob(flow, aim))) return;
    await observePipeline(database, aim, { generation, runtime: "TERMINATED", error: null, sinks: null });
    await letGoOfPipeline(database, aim, this.#holder);
  }

  async #begin(flow: string, aim: PipelineAim, heldUntil: number): Promise<void> {
    const { project, name, generation } = aim;
    const found = await findPipelineVersion(this.#platform.database, aim, aim.version);
    if (!found || !isResourceSize(found.size) || this.#platform.world.now() > heldUntil) return;
    const { definition: text, variables, abis, size, engine } = found;
    const { begins } = aim;
    if (!engine && !(await this.#pauseLeftJob(flow, aim))) return;
    const host = hostOf(this.#platform, project);
    const snapshot = (await findSnapshot(this.#platform.database, aim, begins))?.content;
    const order = { flow, definition: { text, variables, abis, engine }, size, begins, snapshot, host };
    let isStarted = false;
    const hearer: PipelineHearer = {
      started: () => {
        isStarted = true;
        this.#change(kept, "RUNNING");
      },
      state: (sink, status) => {
        kept.sinks.set(sink, status);
        const isFailing = [...kept.sinks.values()].some(
          ({ state }) => state === "stalled" || state === "halted",
        );
        this.#change(kept, isFailing ? "FAILING" : isStarted ? "RUNNING" : "STARTING");
      },
      nodes: (nodes) => {
        kept.nodes = nodes;
        kept.isChanged = true;
      },
      written: ({ milliseconds, ...written }) =>
        this.#platform.meters?.moved?.({
          project,
          pipeline: name,
          ...written,
          seconds: milliseconds / 1_000,
        }),
      lines: (lines) => {
        const room = mostLines - kept.lines.length;
        kept.lines.push(...lines.slice(0, room));
        kept.dropped += Math.max(0, lines.length - room);
      },
      rows: (tapped) => kept.hearers.hear(tapped),
    };
    await noteStart(this.#platform.database, aim);
    const running = this.#engine.run(order, hearer);
    const hearers = new RowHearers((nodes) => running.tap(nodes));
    const kept: KeptPipeline = {
      name: { project, name },
      generation,
      version: aim.version,
      running,
      hearers,
      sinks: new Map(),
      nodes: {},
      lines: [],
      runtime: "STARTING",
      error: null,
      startedAt: this.#platform.world.now(),
      deaths: aim.deaths,
      heldUntil,
      isLost: false,
      isChanged: true,
      memory: undefined,
      dropped: 0,
    };
    this.#kept.set(flow, kept);
    inBackground(
      running.ended.then((end) => this.#quietly(() => this.#ended(flow, kept, end))),
      reportFailure,
    );
  }

  #change(kept: KeptPipeline, runtime: RuntimeStatus): void {
    kept.runtime = runtime;
    kept.isChanged = true;
  }

  /** It has ended by itself, or was ended. */
  async #ended(flow: string, kept: KeptPipeline, end: PipelineEnd): Promise<void> {
    if (this.#kept.get(flow) === kept) this.#kept.delete(flow);
    kept.hearers.end(end.kind);
    if (end.kind === "failed" && end.mayPass && (await this.#pauseAfter(kept, end))) return;
    if (end.kind !== "stopped") {
      kept.error = end.kind === "failed" ? keptText(end.why) : null;
      this.#change(kept, end.kind === "failed" ? "TERMINATED" : "COMPLETED");
      const text = end.kind === "failed" ? `Ended: ${end.why}` : "Completed: all sources have ended";
      const level = end.kind === "failed" ? "error" : "info";
      kept.lines.push({ level, text, timestamp: this.#platform.world.now() });
      await this.#noteOne(kept);
      await letGoOfPipeline(this.#platform.database, kept.name, this.#holder);
    }
  }

  /**
   * Schedules a restart of a pipeline whose process has died, by any server, after a pause.
   * @returns false if it has died too often
   */
  async #pauseAfter(kept: KeptPipeline, { why, ofDatabase }: PipelineFailure): Promise<boolean> {
    const { database, world } = this.#platform;
    const { name, generation, startedAt } = kept;
    const now = world.now();
    const restart = restartAfter(kept.deaths, now - startedAt, world.random(), ofDatabase);
    if (!restart) return false;
    const { deaths, pause } = restart;
    const at = new Date(now + pause).toISOString().slice(11, 19);
    kept.error = keptText(`${why}. It is started again at ${at} UTC`);
    this.#change(kept, "FAILING");
    const text = `Ended: ${why}. It is started again in ${Math.ceil(pause / 1000)} s`;
    kept.lines.push({ level: "error", text: keptText(text), timestamp: now });
    await noteDeath(database, name, { generation, deaths, pause });
    await this.#noteOne(kept);
    await letGoOfPipeline(database, name, this.#holder);
    return true;
  }

  /**
   * Pauses a job that a pipeline has left in Flink, for example after its server was killed, if the pipeline should
   * not run here.
   * @returns false if it may still run; the next check tries again
   */
  async #pauseLeftJob(flow: string, name: PipelineName): Promise<boolean> {
    const { database, world } = this.#platform;
    const say = (level: PipelineLine["level"], text: string): Promise<void> =>
      writePipelineLines(database, name, [{ level, text: keptText(text), timestamp: world.now() }]);
    try {
      const became = await this.#engine.pauseLeftJob(flow);
      if (became !== undefined) await say("info", became);
      this.#unpaused.delete(flow);
      return true;
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      const why = messageOf(error);
      if (this.#unpaused.get(flow) !== why) await say("error", `The job in Flink is not paused yet: ${why}`);
      this.#unpaused.set(flow, why);
      await letGoOfPipeline(database, name, this.#holder);
      return false;
    }
  }

  /**
   * Ends a pipeline here, and releases it for other servers.
   * @param job what to do with its job in Flink, if it has one
   */
  async #end(flow: string, job?: Parameters<RunningPipeline["stop"]>[0]): Promise<void> {
    const kept = this.#kept.get(flow);
    if (!kept) return;
    await kept.running.stop(job);
    this.#kept.delete(flow);
    await this.#noteOne(kept);
    await letGoOfPipeline(this.#platform.database, kept.name, this.#holder);
  }

  /**
   * Ends a pipeline because its requested state has changed, and takes a snapshot, unless the pipeline is stopped.
   */
  async #endForChange(flow: string, { status }: PipelineAim): Promise<void> {
    const kept = this.#kept.get(flow);
    if (!kept) return;
    await this.#end(flow);
    if (status === "INACTIVE" || kept.runtime !== "RUNNING") return;
    await this.#takeSnapshot(kept.name, kept.version, status === "PAUSED" ? "pause" : "change");
  }

  async #takeDueSnapshots(): Promise<void> {
    const { snapshot } = this.#times;
    const due = await pipelinesWithoutSnapshot(this.#platform.database, this.#holder, snapshot);
    for (const { version, ...name } of due) await this.#takeSnapshot(name, version, "schedule");
  }

  /** If a snapshot cannot be taken, it is skipped, and the pipeline's log says why. */
  async #takeSnapshot(name: PipelineName, version: number, cause: SnapshotCause): Promise<void> {
    const { database, world } = this.#platform;
    try {
      await takeSnapshotOf({ platform: this.#platform, engine: this.#engine }, name, version, cause);
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      const why = messageOf(error);
      const text = keptText(`No snapshot was taken: ${why}`);
      await writePipelineLines(database, name, [{ level: "warn", text, timestamp: world.now() }]);
    }
  }

  /** Keeps leases. */
  async #extend(): Promise<void> {
    if (this.#kept.size === 0) return;
    const { database, world } = this.#platform;
    const { lease: time } = this.#times;
    const heldUntil = world.now() + time;
    // Pipelines that start meanwhile have their own leases.
    const begun = [...this.#kept];
    const held = await extendLeases(database, { holder: this.#holder, time });
    for (const [flow, kept] of begun) {
      kept.heldUntil = held.has(flow) ? heldUntil : 0;
      // Rows that pass are recorded far more often.
      kept.isChanged ||= memoryOf(kept) !== kept.memory;
    }
    this.#dropLost();
  }

  /**
   * Ends pipelines whose leases were taken, or are nearly over because the database does not answer. Another server may
   * run them soon.
   */
  #dropLost(): void {
    const soon = this.#platform.world.now() + this.#times.lease / 3;
    for (const kept of [...this.#kept.values()].filter((one) => !one.isLost && one.heldUntil <= soon)) {
      kept.isLost = true;
      inBackground(kept.running.stop("leave"), reportFailure);
    }
  }

  async #note(): Promise<void> {
    this.#noting = (async () => {
      for (const kept of this.#kept.values()) await this.#noteOne(kept);
    })();
    await this.#noting;
  }

  /** The next round records what the database does not accept now. */
  async #noteOne(kept: KeptPipeline): Promise<void> {
    const { database, world } = this.#platform;
    const { name, generation, runtime, error, nodes, isChanged } = kept;
    const sinks = Object.fromEntries(kept.sinks);
    const lines = kept.lines.splice(0);
    kept.isChanged = false;
    try {
      if (kept.dropped > 0) {
        const text = `${kept.dropped.toLocaleString("en")} lines after this one were dropped, because too many came at once`;
        lines.push({ level: "warn", text, timestamp: world.now() });
        kept.dropped = 0;
      }
      // The lines come first: who sees a state finds its reason in the log.
      await writePipelineLines(database, name, lines);
      lines.length = 0;
      if (isChanged) {
        const memory = memoryOf(kept);
        kept.memory = memory;
        await observePipeline(database, name, { generation, runtime, error, sinks, nodes, memory });
      }
    } catch (failure) {
      kept.isChanged = true;
      kept.lines.unshift(...lines);
      throw failure;
    }
  }

  /** Leaves failures to the next round. Failures outside the database are in the server's log. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DatabaseError)) reportFailure(error);
    }
  }
}
