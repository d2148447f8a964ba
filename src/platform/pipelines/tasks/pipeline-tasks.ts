import { randomUUID } from "node:crypto";
import { reportFailure } from "../../../base/failures.js";
import { messageOf } from "../../../base/text/message-of.js";
import { repeat } from "../../../base/text/repeat.js";
import { inBackground } from "../../../base/turns/guarded.js";
import { wait } from "../../../base/turns/wait.js";
import type { ParkedOfSink, PipelineEngine, PipelineTask } from "../../../pipelines/host/pipeline-engine.js";
import { isResourceSize } from "../../../pipelines/host/resource-sizes.js";
import { DatabaseError } from "../../../store/database/database.js";
import { keptText } from "../../../store/database/kept-text.js";
import { requireRole } from "../../people/access.js";
import { type Doer, noteDeed } from "../../people/doer.js";
import type { Platform } from "../../platform.js";
import { isBusy, Problem } from "../../problem.js";
import { holdPipeline, letGoOfPipeline } from "../pipeline-leases.js";
import { findPipelineVersion, isOver, type PipelineName, type PipelineRow } from "../pipeline-rows.js";
import { hostOf, pipelineIdOf } from "../project-host.js";
import { requireIdle, requirePipeline } from "../require-pipeline.js";
import {
  addTask,
  cancelTask,
  endTask,
  holdTask,
  type KeptTask,
  listTasks,
  type TaskOutcome,
  type TaskRow,
} from "./task-rows.js";

/** Milliseconds after which others may write the sinks of a task whose server is gone. */
const usualLease = 15_000;
/** Milliseconds between two records of how far a task is. */
const beat = 2_000;
/** Milliseconds before another attempt to record the end of a task. */
const endPause = 500;

/** The tasks of this server on the state of pipelines. */
export class PipelineTasks {
  readonly #platform: Platform;
  readonly #engine: PipelineEngine;
  readonly #lease: number;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  /** @param lease milliseconds after which others may write the sinks of a task whose server is gone */
  constructor(platform: Platform, engine: PipelineEngine, lease = usualLease) {
    this.#platform = platform;
    this.#engine = engine;
    this.#lease = lease;
  }

  /**
   * Starts a task, which runs to its end even if the client leaves.
   * @throws Problem `pipeline-not-found`; `bad-request` for a sink that the pipeline does not have; `conflict`
   *   while something else is under way; `unprocessable` for a writing task while the pipeline runs; DatabaseError
   */
  async begin(doer: Doer, name: string, task: KeptTask): Promise<TaskRow> {
    const { database } = this.#platform;
    const named = { project: doer.caller.project, name };
    const row = await requirePipeline(database, named);
    const order = await this.#orderOf(row, task);
    const id = randomUUID();
    await database.transaction(async (sql) => {
      const now = await requirePipeline(sql, named, { isLocked: true });
      if (now.task !== undefined) throw underWay(now);
      if (now.version !== row.version)
        throw new Problem("conflict", `"${name}" was just changed by someone else. Try again.`);
      if (writes(task)) {
        requireIdle(now);
        requireRest(now);
        if (!(await holdPipeline(sql, named, { holder: id, time: this.#lease })))
          throw new Problem("unavailable", `"${name}" is just ending. Try again.`, { retryAfter: 1 });
      }
      await addTask(sql, named, id, task, this.#lease);
      await noteDeed(sql, doer, `pipeline.${task.kind}`, name);
    });
    const work = this.#work(named, id, order, task);
    this.#running.add(work);
    inBackground(
      work.finally(() => this.#running.delete(work)),
      reportFailure,
    );
    return this.find(named, id);
  }

  /**
   * Cancels a task, which then ends within seconds, whichever server does it. Finished work stays.
   * @throws Problem `pipeline-not-found`, `not-found`; `forbidden` for a caller who may not start such a task;
   *   `unprocessable` for a task that has ended; DatabaseError
   */
  async cancel(doer: Doer, name: string, id: string): Promise<TaskRow> {
    const named = { project: doer.caller.project, name };
    const { task } = await this.find(named, id);
    if (writes(task)) requireRole(doer.caller, "Editor");
    await this.#platform.database.transaction(async (sql) => {
      if (!(await cancelTask(sql, named, id)))
        throw new Problem(
          "unprocessable",
          `This ${task.kind} of "${name}" has ended: there is nothing to cancel.`,
        );
      await noteDeed(sql, doer, "pipeline.cancel-task", name);
    });
    return this.find(named, id);
  }

  /** Reads what sinks of a pipeline keep aside. It may run meanwhile. @throws Problem; DatabaseError */
  async parked(named: PipelineName, sink: string | undefined): Promise<readonly ParkedOfSink[]> {
    const row = await requirePipeline(this.#platform.database, named);
    const task = { kind: "parked", ...(sink !== undefined && { sink }) } as const;
    const order = await this.#orderOf(row, task);
    const found = await this.#engine
      .perform(order, task, () => undefined, this.#closing.signal)
      .catch((error: unknown) => {
        if (isBusy(error)) throw error;
        const why = messageOf(error);
        throw new Problem("unprocessable", `What "${named.name}" has parked cannot be read: ${why}`, {
          cause: error,
        });
      });
    return found.kind === "parked" ? found.sinks : [];
  }

  /** The last tasks of a pipeline, newest first. @throws Problem `pipeline-not-found`; DatabaseError */
  async list(named: PipelineName): Promise<readonly TaskRow[]> {
    const { database } = this.#platform;
    return listTasks(database, await requirePipeline(database, named));
  }

  /** A task of a pipeline. @throws Problem `pipeline-not-found`, `not-found`; DatabaseError */
  async find(named: PipelineName, id: string): Promise<TaskRow> {
    const found = (await this.list(named)).find((task) => task.id === id);
    if (found) return found;
    throw new Problem("not-found", `There is no such task of "${named.name}", or it is not kept any more.`);
  }

  /** Ends all tasks. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  async #orderOf(row: PipelineRow, { kind, sink }: PipelineTask) {
    const version = await findPipelineVersion(this.#platform.database, row, row.version);
    if (!version || !isResourceSize(version.size))
      throw new Problem("unprocessable", `"${row.name}" has no version yet.`);
    if (version.engine)
      throw new Problem(
        "unprocessable",
        `${kind} is not possible: Flink runs "${row.name}", and keeps no ledger of what it writes. To have all rows computed and written again: graphloom pipeline restart ${row.name} --from-snapshot none`,
      );
    const { topology, definition: text, variables, abis, size } = version;
    const sinks = topology.filter(({ kind }) => kind === "sink").map((node) => node.name);
    if (sink !== undefined && !sinks.includes(sink))
      throw new Problem("bad-request", "The pipeline has no such sink.", {
        errors: [{ field: "sink", message: `must be one of ${sinks.join(", ")}` }],
      });
    const host = hostOf(this.#platform, row.project);
    return { flow: pipelineIdOf(row), definition: { text, variables, abis }, size, host };
  }

  async #work(
    named: PipelineName,
    id: string,
    order: Parameters<PipelineEngine["perform"]>[0],
    task: KeptTask,
  ): Promise<void> {
    const { database, world } = this.#platform;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#closing.signal]);
    let isCancelled = false;
    let progress: string | undefined;
    let heldUntil = world.now() + this.#lease;
    /** Ends it before another process may write its sinks. */
    const hold = async (): Promise<void> => {
      const until = world.now() + this.#lease;
      try {
        const state = await holdTask(database, named, id, progress, this.#lease);
        isCancelled = state === "cancelled";
        const isHeld =
          state === "held" &&
          (!writes(task) || (await holdPipeline(database, named, { holder: id, time: this.#lease })));
        heldUntil = isHeld ? until : 0;
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
      }
      if (heldUntil - this.#lease / 3 < world.now()) over.abort();
    };
    const holding = repeat(beat, world, signal, hold, reportFailure);
    const onProgress = (text: string): void => {
      progress = keptText(text);
    };
    const outcome = await this.#engine.perform(order, task, onProgress, signal).then(
      (result): TaskOutcome => ({ result }),
      (error: unknown): TaskOutcome => (isCancelled ? {} : { error: keptText(messageOf(error)) }),
    );
    over.abort();
    await holding;
    await this.#end(named, id, { ...outcome, progress });
  }

  /**
   * Records how a task has ended. If the database does not accept this before the lease is over, the result is lost.
   */
  async #end(named: PipelineName, id: string, outcome: TaskOutcome): Promise<void> {
    const { database, world } = this.#platform;
    const last = world.now() + this.#lease;
    while (world.now() < last) {
      try {
        await endTask(database, named, id, outcome);
        return await letGoOfPipeline(database, named, id);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        if (this.#closing.signal.aborted) return;
        await wait(endPause, world, this.#closing.signal);
      }
    }
  }
}

/** Whether a task writes sinks. */
function writes({ kind }: KeptTask): boolean {
  return kind !== "verify";
}

function underWay({ name, task }: PipelineRow): Problem {
  return new Problem(
    "conflict",
    `Something is already done with what "${name}" keeps: ${task}. Wait for its end.`,
  );
}

/** @throws Problem `unprocessable` while a pipeline runs */
function requireRest(row: PipelineRow): void {
  if (isOver(row)) return;
  const { name } = row;
  throw new Problem(
    "unprocessable",
    `"${name}" runs, and no one else may write its sinks meanwhile. Pause it first: graphloom pipeline pause ${name}`,
  );
}
