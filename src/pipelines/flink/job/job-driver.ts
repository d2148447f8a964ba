import { backoff } from "../../../base/turns/backoff.js";
import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import type { FlinkStatements } from "../flink-statements.js";
import {
  cancelJob,
  cancelJobs,
  hasEnded,
  jobName,
  jobsOf,
  type ListedJob,
  pauseJob,
  startJob,
} from "./flink-job.js";
import { type FlinkGateway, GatewayError, type GatewaySession } from "./gateway.js";
import type { JobFigures } from "./job-figures.js";
import { RestartWatch } from "./job-restarts.js";
import type { KeptJobStore } from "./kept-job.js";

/** How the job of a pipeline is doing. */
export type JobState =
  /** No job was started. */
  | { readonly kind: "unstarted" }
  /** @param savepoint where it continues, unless it starts over */
  | { readonly kind: "starting"; readonly savepoint: string | undefined }
  /**
   * @param doubt whether the job has lost its state, and so no longer knows what it has written, or whether that is
   * unknown
   */
  | { readonly kind: "running"; readonly id: string; readonly doubt?: "lost" | "unknown" }
  /** Flink is about to restart it, or the gateway cannot be reached. */
  | { readonly kind: "stalled"; readonly why: string }
  /** It was stopped, and continues at a savepoint. */
  | { readonly kind: "paused"; readonly savepoint: string }
  /** It keeps running in Flink, for another run to find. */
  | { readonly kind: "left" }
  | { readonly kind: "cancelled" }
  /** It has read its topics to their end. */
  | { readonly kind: "finished" }
  /**
   * It will not be restarted.
   * @param mayRun whether it could not be ended, so that Flink may still be running it
   */
  | { readonly kind: "halted"; readonly error: unknown; readonly mayRun?: boolean };

/**
 * What to do with the job of an interrupted run: stop it with a savepoint, let it continue without the run, or cancel
 * it.
 */
export type JobFate = "pause" | "leave" | "cancel";

export interface JobToRun {
  readonly flow: string;
  readonly digest: string;
  readonly statements: FlinkStatements;
  /** The places it writes, and the places the pipeline has written before. */
  readonly targets: readonly string[];
  /** Where it starts: its last savepoint, none, or a certain one. A running job continues only with the last one. */
  readonly from: "last" | "none" | { readonly savepoint: string };
  /** Whether it ends by itself. */
  readonly isBounded: boolean;
  /** Returns what to do with the job when the run is interrupted. Called at that time. `pause` if absent. */
  fate?(): JobFate;
}

/** The outside world of a driver. */
export interface DriverWorld {
  readonly gateway: FlinkGateway;
  readonly store: KeptJobStore;
  readonly clock: Pick<World, "timeout" | "random">;
  onState(state: JobState): void;
  /** Receives the figures of a running job every few seconds; `undefined` if its job manager does not report them. */
  onFigures?(figures: JobFigures | undefined): void;
}

const retries = { first: 1_000, longest: 30_000 };
/** Milliseconds between two checks of a job. */
const interval = 1_000;
const pauseAttempts = 5;
/** How many checks of a job come between two requests for its figures and restarts, except for the first ones. */
const looksBetweenFigures = 5;

/** Starts the job of a pipeline, looks after it, and ends it. */
export class JobDriver {
  readonly #world: DriverWorld;
  #last = "";
  /** The job that this driver has found or started. It does not start another one if that one is gone. */
  #id: string | undefined;
  /**
   * Whether Flink has not yet answered the request to start the job, so that the job may appear in its list later.
   */
  #isStarting = false;

  constructor(world: DriverWorld) {
    this.#world = world;
  }

  /**
   * Runs a job until it ends or the signal is aborted. Asks an unreachable gateway again; the job continues
   * meanwhile.
   * @returns how it ended
   */
  async run(job: JobToRun, signal: AbortSignal): Promise<JobState> {
    const { clock } = this.#world;
    for (let failures = 0; ; ) {
      try {
        const end = await this.#inSession(signal, async (session) => {
          const id = this.#id ?? (await this.#begin(session, job, signal));
          failures = 0;
          return this.#watch(session, job, id, signal, () => {
            failures = 0;
          });
        });
        if (end) return this.#tell(end);
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        if (!error.isTemporary && !signal.aborted) return this.#tell({ kind: "halted", error });
        failures += 1;
        if (!signal.aborted) this.#tell({ kind: "stalled", why: error.message });
      }
      if (signal.aborted) return this.#tell(await this.#interrupt(job));
      await wait(backoff(Math.max(failures, 1), retries, clock.random()), clock, signal);
      if (signal.aborted) return this.#tell(await this.#interrupt(job));
    }
  }

  #interrupt(job: JobToRun): Promise<JobState> | JobState {
    const fate = job.fate?.() ?? "pause";
    if (fate === "leave") return { kind: "left" };
    return fate === "cancel" ? this.#cancel(job) : this.pause(job);
  }

  async #cancel({ flow }: JobToRun): Promise<JobState> {
    try {
      await this.#inSession(new AbortController().signal, (session) => cancelJobs(session, flow));
      return { kind: "cancelled" };
    } catch (error) {
      return stillRunning(error);
    }
  }

  async #inSession<T>(signal: AbortSignal, work: (session: GatewaySession) => Promise<T>): Promise<T> {
    const session = await this.#world.gateway.openSession(signal);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  }

  /** Finds the job, or starts it. Stops jobs of the pipeline that compute something else. @returns its id */
  async #begin(session: GatewaySession, job: JobToRun, signal: AbortSignal): Promise<string> {
    const { store } = this.#world;
    const name = jobName(job.flow, job.digest);
    const active = (await jobsOf(session, job.flow)).filter((one) => !hasEnded(one));
    const [same, ...others] = [
      ...active.filter((one) => one.name === name),
      ...active.filter((one) => one.name !== name),
    ];
    const { from } = job;
    const found = same?.name === name && from === "last" ? same : undefined;
    for (const other of found ? others : active) await cancelJob(session, other.id);
    this.#isStarting = false;
    if (found) {
      this.#id = found.id;
      await this.#keepRunning();
      return found.id;
    }
    const before = store.kept?.digest === job.digest ? store.kept : undefined;
    const kept = before?.savepoint;
    // A job that is gone without a savepoint knew what it has written since the last one. The next one does not.
    if (from === "last" && before?.isRunning) await store.keep({ ...before, hasLostState: true });
    const savepoint = from === "last" ? kept : from === "none" ? undefined : from.savepoint;
    this.#tell({ kind: "starting", savepoint });
    await this.#keep(job, savepoint, from === "none");
    if (signal.aborted) throw new GatewayError("The run was interrupted.", true);
    this.#isStarting = true;
    this.#id = await startJob(session, job.statements, savepoint);
    this.#isStarting = false;
    await this.#keepRunning();
    return this.#id;
  }

  /** Saves where a job continues, and whether its state was lost before, unless it starts over on purpose. */
  async #keep(
    { digest, targets }: Pick<JobToRun, "digest" | "targets">,
    savepoint: string | undefined,
    isAnew = false,
  ): Promise<void> {
    const { store } = this.#world;
    const hasLostState = !isAnew && store.kept?.hasLostState;
    await store.keep({ digest, targets, savepoint, ...(hasLostState && { hasLostState }) });
  }

  async #keepRunning(): Promise<void> {
    const { store } = this.#world;
    if (store.kept && !store.kept.isRunning) await store.keep({ ...store.kept, isRunning: true });
  }

  /** Watches a job until it ends; `undefined` if the signal is aborted first. */
  async #watch(
    session: GatewaySession,
    { flow, isBounded }: JobToRun,
    id: string,
    signal: AbortSignal,
    onAnswer: () => void,
  ): Promise<JobState | undefined> {
    const { store } = this.#world;
    const watch = new RestartWatch(store.kept?.savepoint !== undefined);
    let doubt: "lost" | "unknown" | undefined = store.kept?.hasLostState && "lost";
    for (let looks = 0; !signal.aborted; looks += 1) {
      const found = (await jobsOf(session, flow)).find((one) => one.id === id);
      onAnswer();
      const why = found && failing.has(found.status) ? await session.failureOf(id) : "";
      const end = endOf(found, why, isBounded);
      if (end?.kind === "finished" && store.kept) {
        const { isRunning: _, ...finished } = store.kept;
        await store.keep(finished);
      }
      if (end) return end;
      if (found?.status !== "RUNNING") watch.interrupted();
      else if (doubt !== "lost" && looks % looksBetweenFigures === 0) {
        const seen = watch.seen(await session.restartsOf(id));
        doubt = seen === "kept" ? undefined : (seen ?? doubt);
        if (doubt === "lost" && store.kept) await store.keep({ ...store.kept, hasLostState: true });
      }
      this.#tell(stateOf(found as ListedJob, why, doubt));
      const { onFigures } = this.#world;
      const isDue = looks < looksBetweenFigures || looks % looksBetweenFigures === 0;
      if (onFigures && isDue) onFigures(await session.figuresOf(id));
      await wait(interval, this.#world.clock, signal);
    }
    return undefined;
  }

  /**
   * Stops a job, even one that another driver started, and saves its savepoint. Cancels a job that cannot be stopped
   * this way.
   */
  async pause({ flow, digest, targets }: Pick<JobToRun, "flow" | "digest" | "targets">): Promise<JobState> {
    const never = new AbortController().signal;
    const runs = async (session: GatewaySession): Promise<ListedJob | undefined> => {
      const name = jobName(flow, digest);
      return (await jobsOf(session, flow)).find((one) => one.name === name && !hasEnded(one));
    };
    let failure: PipelineError | undefined;
    // A job that Flink is about to restart cannot be stopped at that time.
    for (let attempt = 1; attempt <= pauseAttempts; attempt += 1) {
      if (attempt > 1) await wait(interval, this.#world.clock, never);
      try {
        const end = await this.#inSession<JobState | undefined>(never, async (session) => {
          const job = await runs(session);
          if (!job && this.#isStarting && attempt < pauseAttempts) return undefined;
          if (!job) return { kind: "unstarted" };
          const savepoint = await pauseJob(session, job.id);
          await this.#keep({ digest, targets }, savepoint);
          return { kind: "paused", savepoint };
        });
        if (end) return end;
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        failure = error;
      }
    }
    try {
      return await this.#inSession(never, async (session) => {
        const job = await runs(session);
        if (job) await cancelJob(session, job.id);
        return { kind: "halted", error: new PipelineError(unpaused(failure), false) };
      });
    } catch (error) {
      return stillRunning(error);
    }
  }

  #tell(state: JobState): JobState {
    const text = JSON.stringify(state);
    if (text !== this.#last) this.#world.onState(state);
    this.#last = text;
    return state;
  }
}

/** @param why in Flink's words; empty if unknown */
function stateOf({ id, status }: ListedJob, why: string, doubt: "lost" | "unknown" | undefined): JobState {
  if (status === "RUNNING") return { kind: "running", id, ...(doubt && { doubt }) };
  return { kind: "stalled", why: `Flink says ${status} of job ${id}${reason(why)}` };
}

function endOf(job: ListedJob | undefined, why: string, isBounded: boolean): JobState | undefined {
  const halted = (message: string): JobState => ({
    kind: "halted",
    error: new PipelineError(message, false),
  });
  if (!job)
    return halted(
      "Flink does not know the job any more, so the job's state is lost. Run the pipeline again: it goes on at its last savepoint, or starts over.",
    );
  switch (job.status) {
    case "FINISHED":
      return isBounded ? { kind: "finished" } : halted(`Job ${job.id} of Flink was stopped from outside.`);
    case "FAILED":
      return halted(`Job ${job.id} of Flink has failed${reason(why)}`);
    case "CANCELED":
      return halted(`Job ${job.id} of Flink was cancelled.`);
    default:
      return undefined;
  }
}

/** @param failure of the last attempt to pause it */
function unpaused(failure: PipelineError | undefined): string {
  return `The job of Flink could not be paused, and was cancelled. The next run continues at the savepoint before, or starts over. ${failure?.message ?? ""}`.trimEnd();
}

/** @throws other errors than Flink's */
function stillRunning(failure: unknown): JobState {
  if (!(failure instanceof PipelineError)) throw failure;
  const message = `The job could neither be paused nor cancelled, so that Flink may still run it. Cancel it there, or run the pipeline again and stop it. ${failure.message}`;
  return { kind: "halted", error: new PipelineError(message, false, { cause: failure }), mayRun: true };
}

function reason(why: string): string {
  return why === "" ? ". Its log says why." : `: ${/[.!?]$/.test(why) ? why : `${why}.`}`;
}

/** States that have a reason in Flink. */
const failing: ReadonlySet<string> = new Set(["FAILED", "FAILING", "RESTARTING"]);
