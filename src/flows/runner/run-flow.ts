import { backoff } from "../../base/backoff.js";
import { wait } from "../../base/wait.js";
import type { World } from "../../base/world.js";
import { FlowError } from "../changes/flow-error.js";
import type { FlowPlan, PlannedSink, PlannedSource } from "../plan/flow-plan.js";
import { openSink } from "../sinks/open-sink.js";
import type { SinkWorld } from "../sinks/opening.js";
import type { Source } from "../sources/source.js";
import type { SqlEngine } from "../sql/engine.js";
import { openTable, openTransform } from "../transforms/open-transform.js";
import type { TransformWorld } from "../transforms/opening.js";
import { openProgram } from "./program.js";
import { runSink, type SinkProgress } from "./run-sink.js";

/** What a running flow needs from outside. */
export interface FlowWorld extends SinkWorld, TransformWorld {
  /** Opens an empty database for SQL. */
  openEngine(): Promise<SqlEngine>;
  /** Opens a source for one sink. @param finalOnly whether to read only final blocks */
  openSource(source: PlannedSource, finalOnly: boolean, sink: PlannedSink): Source;
  readonly clock: Pick<World, "timeout" | "now" | "random">;
}

/** How a sink is doing. */
export type SinkState =
  | { readonly kind: "progressing"; readonly progress: SinkProgress }
  /** It could not be written, or a source could not be read, and is tried again. */
  | { readonly kind: "stalled"; readonly why: string; readonly wait: number }
  /** All sources have ended, or the user has interrupted. */
  | { readonly kind: "ended"; readonly progress: SinkProgress }
  /** It cannot be written, and is not tried again. */
  | { readonly kind: "halted"; readonly error: unknown };

const retries = { first: 1_000, longest: 60_000 };
/** Milliseconds that a server may ask to wait. */
const longestAsked = 3_600_000;

/**
 * Runs all sinks of a flow side by side, each at its own pace: one that cannot be written does not stop another.
 * @param onState told of every change of a sink's state
 * @returns how each sink ended, by its name
 */
export async function runFlow(
  plan: FlowPlan,
  world: FlowWorld,
  onState: (sink: string, state: SinkState) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SinkState>> {
  const ends = await Promise.all(
    plan.sinks.map(async (sink) => {
      const state = await keepRunning(plan, sink, world, (one) => onState(sink.name, one), signal);
      onState(sink.name, state);
      return [sink.name, state] as const;
    }),
  );
  return new Map(ends);
}

/** Runs a sink, again and again after failures that may pass. What it wrote is asked of the sink each time. */
async function keepRunning(
  plan: FlowPlan,
  sink: PlannedSink,
  world: FlowWorld,
  onState: (state: SinkState) => void,
  signal: AbortSignal,
): Promise<SinkState> {
  let failures = 0;
  for (;;) {
    try {
      const progress = await runOnce(plan, sink, world, signal, (now) => {
        failures = 0;
        onState({ kind: "progressing", progress: now });
      });
      return { kind: "ended", progress };
    } catch (error) {
      if (!isTemporary(error) || signal.aborted) return { kind: "halted", error };
      failures += 1;
      const asked = Math.min(error.retryAfter ?? 0, longestAsked);
      const pause = Math.max(asked, backoff(failures, retries, world.clock.random()));
      onState({ kind: "stalled", why: error.message, wait: pause });
      await wait(pause, world.clock, signal);
      if (signal.aborted) return { kind: "halted", error };
    }
  }
}

/** Whether a failure of a sink, a source or a transform may pass. */
function isTemporary(error: unknown): error is FlowError {
  return error instanceof FlowError && error.isTemporary;
}

async function runOnce(
  plan: FlowPlan,
  sink: PlannedSink,
  world: FlowWorld,
  signal: AbortSignal,
  onProgress: (progress: SinkProgress) => void,
): Promise<SinkProgress> {
  const program = await openProgram(plan, sink, {
    openEngine: () => world.openEngine(),
    openTransform: (planned) => openTransform(planned, world),
    openTable: (planned) => openTable(planned, world),
  });
  try {
    const sources = program.sources.map(({ name }) => name);
    const writer = await openSink(sink, { flow: plan.name, sources }, world);
    try {
      const finalOnly = sink.definition.settings.finalized?.value === true;
      const open = (name: string): Source => {
        const source = program.sources.find((one) => one.name === name) as PlannedSource;
        return world.openSource(source, finalOnly, sink);
      };
      const parks = sink.definition.settings.on_error?.value === "park";
      const parking = { parks, now: () => world.clock.now() };
      return await runSink(sink, writer, program, open, { signal, onProgress, parking });
    } finally {
      await writer.close();
    }
  } finally {
    await program.close();
  }
}
