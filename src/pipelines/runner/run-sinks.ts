import { diskTrouble } from "../../base/disk-trouble.js";
import { messageOf } from "../../base/text/message-of.js";
import { visible } from "../../base/text/visible.js";
import { backoff } from "../../base/turns/backoff.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import { PipelineError } from "../changes/pipeline-error.js";
import type { PipelinePlan, PlannedSink, PlannedSource } from "../plan/pipeline-plan.js";
import { sinkLineage } from "../sinks/lineage/sink-lineage.js";
import { openSink } from "../sinks/open-sink.js";
import type { SinkWorld } from "../sinks/opening.js";
import type { Source } from "../sources/source.js";
import { UnknownPositionError } from "../sources/source-error.js";
import type { SqlEngine } from "../sql/engine.js";
import { SinkError } from "../state/sink-error.js";
import { openLookup, openTable, openTableStore, openTransform } from "../transforms/open-transform.js";
import type { TransformWorld } from "../transforms/opening.js";
import { DeadLetters, type RefusedChange } from "./dead-letters.js";
import { type ChangeAdvice, lineageGuard } from "./guard-lineage.js";
import type { SourceWatch } from "./head-watch.js";
import type { NodeCounter } from "./node-counts.js";
import { PipelineTables } from "./pipeline-tables.js";
import { openProgram } from "./program.js";
import type { RowTap } from "./row-tap.js";
import { runSink, type SinkProgress } from "./run-sink.js";
import { type SinkState, StateTeller } from "./sink-state.js";

/** The outside world of a running pipeline. */
export interface PipelineWorld extends SinkWorld, TransformWorld {
  /** Opens an empty database for SQL. @param isJob whether it has all rows at once */
  openEngine(isJob?: boolean): Promise<SqlEngine>;
  /**
   * Opens a source for one sink.
   * @param finalOnly whether to read only final blocks
   * @param watch notified whenever the source has returned all current data
   */
  openSource(source: PlannedSource, finalOnly: boolean, sink: PlannedSink, watch: SourceWatch): Source;
  readonly clock: Pick<World, "timeout" | "now" | "random">;
  /** Shows rows that pass nodes; absent without viewers. */
  readonly tap?: RowTap | undefined;
  /** Counts rows that pass sources and transforms; without it, they are not counted. */
  readonly counter?: NodeCounter | undefined;
  /** Called for each batch that was written to a sink. @param began when its writing began */
  readonly onBatch?: ((sink: string, rows: number, began: number) => void) | undefined;
  /** Advice about a sink whose rows are now computed differently; without it, the sink continues silently. */
  readonly changeAdvice?: ChangeAdvice | undefined;
  /** Whether failures may name files of this machine, as its user runs the pipeline. */
  readonly namesFiles?: boolean | undefined;
  /** Called when rows for a sink are written the slower way after a failure, with the reason. */
  readonly onSlower?: ((sink: string, why: string) => void) | undefined;
}

const retries = { first: 1_000, longest: 60_000 };
/** Milliseconds that a server may ask to wait. */
const longestAsked = 3_600_000;

/**
 * Runs all sinks of a pipeline side by side, each at its own pace: one that cannot be written does not stop another.
 * @param onState receives every change of a sink's state
 * @returns how each sink ended, by name
 */
export async function runSinks(
  plan: PipelinePlan,
  world: PipelineWorld,
  onState: (sink: string, state: SinkState) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SinkState>> {
  const tables = openTables(plan, world);
  const recoveries = new Recoveries();
  try {
    const ends = await Promise.all(
      plan.sinks.map(async (sink) => {
        const report = (one: SinkState): void => onState(sink.name, one);
        const state = await keepRunning(plan, sink, world, { tables, recoveries }, report, signal);
        onState(sink.name, state);
        return [sink.name, state] as const;
      }),
    );
    return new Map(ends);
  } finally {
    await tables.close();
  }
}

function openTables(plan: PipelinePlan, world: PipelineWorld): PipelineTables {
  const [anySink] = plan.sinks;
  return new PipelineTables(plan, {
    openEngine: (isJob) => world.openEngine(isJob),
    openTransform: (planned) => openTransform(planned, world),
    openTable: (planned) => openTable(planned, world),
    openLookup: (planned) => openLookup(planned, world),
    openStore: (planned, owner) => openTableStore(planned, { ...owner, isReadOnly: false }, world),
    // Only entities are read for a certain sink, and no table is filled from them.
    openTableSource: (source, finalOnly) =>
      world.openSource(source, finalOnly, anySink as PlannedSink, { onHead: () => undefined }),
  });
}

/** Ends the pauses of sinks when another sink has recovered, since their failures mostly have a common cause. */
class Recoveries {
  readonly #pauses = new Set<AbortController>();

  /** Ends the pauses of all sinks. */
  tell(): void {
    for (const pause of this.#pauses) pause.abort();
  }

  /** Waits until a time is over, a sink has recovered, or a signal is aborted. */
  async wait(milliseconds: number, clock: Pick<World, "timeout">, signal: AbortSignal): Promise<void> {
    const pause = new AbortController();
    this.#pauses.add(pause);
    try {
      await wait(milliseconds, clock, AbortSignal.any([signal, pause.signal]));
    } finally {
      this.#pauses.delete(pause);
    }
  }
}

/** What the sinks of a pipeline share. */
interface Shared {
  readonly tables: PipelineTables;
  readonly recoveries: Recoveries;
}

/** Runs a sink, and restarts it after temporary failures. Each time, it reads its position from the sink. */
async function keepRunning(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: PipelineWorld,
  { tables, recoveries }: Shared,
  onState: (state: SinkState) => void,
  signal: AbortSignal,
): Promise<SinkState> {
  const { retry, retry_for: retryFor } = sink.definition.settings;
  let failures = 0;
  let since = 0;
  let unknown: number | undefined;
  for (;;) {
    try {
      const progress = await runOnce(plan, sink, world, tables, signal, (state) => {
        const hasRecovered = failures > 0;
        failures = 0;
        onState(state);
        if (hasRecovered) recoveries.tell();
      });
      return { kind: "ended", progress };
    } catch (caught) {
      const error = ofDisk(caught, world.namesFiles === true);
      const isToAsk = error instanceof UnknownPositionError && error.position !== unknown;
      if (isToAsk) unknown = error.position;
      else if (signal.aborted || !isTriedAgain(error, retry?.value)) return { kind: "halted", error };
      if (failures === 0) since = world.clock.now();
      else if (retryFor && world.clock.now() - since >= retryFor.value) return { kind: "halted", error };
      failures += 1;
      const asked = error instanceof PipelineError ? Math.min(error.retryAfter ?? 0, longestAsked) : 0;
      const pause = Math.max(asked, backoff(failures, retries, world.clock.random()));
      const nextAttempt = world.clock.now() + pause;
      onState({ kind: "stalled", why: messageOf(error), since, wait: pause, nextAttempt });
      // A server that names a time means it.
      if (asked > 0) await wait(pause, world.clock, signal);
      else await recoveries.wait(pause, world.clock, signal);
      if (signal.aborted) return { kind: "halted", error };
    }
  }
}

/** The failure itself, or the system's reason if a disk is full: there may be room again later. */
function ofDisk(error: unknown, namesFiles: boolean): unknown {
  const trouble = error instanceof PipelineError ? undefined : diskTrouble(error);
  if (!trouble) return error;
  const { path, reason, remedy, mayPass } = trouble;
  const what = namesFiles && path !== undefined ? visible(path) : "A file";
  const advice = namesFiles ? ` ${remedy}${mayPass ? ": then it goes on" : ""}.` : "";
  return new SinkError(`${what} cannot be used: ${reason}.${advice}`, mayPass, { cause: error });
}

/** @param retry which failures of a sink, its sources and its transforms are tried again; by default passing ones */
function isTriedAgain(error: unknown, retry: string | undefined): boolean {
  if (retry === "none") return false;
  return retry === "all" || (error instanceof PipelineError && error.isTemporary);
}

async function runOnce(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: PipelineWorld,
  tables: PipelineTables,
  signal: AbortSignal,
  onState: (state: SinkState) => void,
): Promise<SinkProgress> {
  const { tap, counter } = world;
  const program = await openProgram(plan, sink, { ...tables.programWorld, tap, counter });
  try {
    const sources = program.sources.map(({ name }) => name);
    const { changeAdvice } = world;
    const lineage = changeAdvice && lineageGuard(sinkLineage(plan, sink), changeAdvice);
    const writer = await openSink(sink, { flow: plan.name, sources, lineage }, world);
    const letters = sink.deadLetters && new DeadLetters(plan.name, sink, sink.deadLetters, world);
    try {
      const finalOnly = sink.definition.settings.finalized?.value === true;
      const open = (name: string): Source => {
        const watch = { onHead: (head: number | undefined): void => states.atHead(name, head) };
        const source = program.sources.find((one) => one.name === name) as PlannedSource;
        const opened = program.open
          ? program.open((one) => world.openSource(one, true, sink, watch))
          : world.openSource(source, finalOnly, sink, watch);
        return watched(opened, () => states.read(name));
      };
      const states = new StateTeller(sources, () => world.clock.now(), onState);
      const tells = {
        onProgress: (progress: SinkProgress) => states.progressed(progress),
        onWritten: (source: string) => states.written(source),
        onSlower: (why: string) => world.onSlower?.(sink.name, why),
        onBatch: (rows: number, began: number) => world.onBatch?.(sink.name, rows, began),
      };
      const parks = sink.definition.settings.on_error?.value === "park";
      const parking = {
        parks,
        now: () => world.clock.now(),
        ...(letters && { onRefused: (refused: readonly RefusedChange[]) => letters.write(refused) }),
      };
      return await runSink(sink, writer, program, open, { signal, ...tells, parking, tap });
    } finally {
      await letters?.close();
      await writer.close();
    }
  } finally {
    await program.close();
  }
}

/** A source that reports every batch before it returns it. */
function watched(source: Source, onRead: () => void): Source {
  return {
    async *batches(...given) {
      for await (const batch of source.batches(...given)) {
        onRead();
        yield batch;
      }
    },
    ...(source.confirm && { confirm: (next) => source.confirm?.(next) }),
    ...(source.finish && { finish: async () => source.finish?.() }),
  };
}
