import type { PipelinePlan } from "../../pipelines/plan/pipeline-plan.js";
import { runSinks } from "../../pipelines/runner/run-sinks.js";
import type { SinkState } from "../../pipelines/runner/sink-state.js";
import type { Database } from "../../store/database/database.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { quietTerminal } from "../terminal/quiet-terminal.js";
import { stayingAlive } from "../terminal/staying-alive.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type EngineArguments, flinkPlaces } from "./flink-places.js";
import { PipelineDisplay } from "./pipeline-display.js";
import { type PipelineArguments, pipelineWorld } from "./pipeline-world.js";
import type { RunHealth } from "./run-health.js";
import { type ChangeArguments, changeAdvice, checkChangeArguments, settleChanges } from "./settle-changes.js";
import type { SubgraphArguments } from "./sources/open-subgraphs.js";
import { StopReport } from "./stop-report.js";
import { type DefinitionArguments, withPlan } from "./with-plan.js";

/** Arguments of `pipeline run`. */
export interface RunPipelineArguments
  extends ReportArguments,
    DefinitionArguments,
    SubgraphArguments,
    PipelineArguments,
    EngineArguments,
    ChangeArguments {
  /** Whether the first sink that stops ends the run. */
  readonly "fail-fast": boolean;
  /** Where the state of the run is served: a port, or an address and a port. */
  readonly health?: string | undefined;
}

/** Runs a definition until its sources end or the user interrupts; returns the exit code. */
export function runPipeline(args: RunPipelineArguments, terminal: Terminal): Promise<number> {
  const places = flinkPlaces(args);
  checkChangeArguments(args, terminal);
  if (places && args.health !== undefined)
    throw new UsageError("--health does not go with --engine: ask Flink for the health of its job.");
  return withPlan(
    { ...args, flinkIntegers: places && args.integers },
    terminal,
    async ({ plan, flow, report }, database) => {
      reportDiagnostics(report.diagnostics, args, terminal);
      if (!plan || report.failed) return exitCodes.diagnostics;
      if (places && flow) {
        // What runs queries on Flink is loaded only for it.
        const { runPipelineOnFlink } = await import("./run-on-flink.js");
        return runPipelineOnFlink(flow, { ...args, ...places }, database, terminal);
      }
      return runPlan(plan, args, database, terminal);
    },
  );
}

async function runPlan(
  plan: PipelinePlan,
  args: RunPipelineArguments,
  database: Database | undefined,
  terminal: Terminal,
): Promise<number> {
  const shown = args.format === "text" ? terminal : quietTerminal(terminal);
  const display = new PipelineDisplay(shown, () => performance.now());
  const running = new Set<Promise<void>>();
  const failed = new AbortController();
  const signal = AbortSignal.any([terminal.signal, failed.signal]);
  let health: RunHealth | undefined;
  const opened = pipelineWorld(plan, args, {
    database,
    running,
    display,
    terminal: { ...terminal, signal },
    onHead: (source, head) => health?.seen(source, head),
  });
  const world = { ...opened, changeAdvice };
  terminal.onWriting(true);
  try {
    health = await openHealth(plan, args);
    const refused = await settleChanges(plan, args, world, terminal);
    if (refused !== undefined) return refused;
    if (health)
      display.print(`Health is at ${health.url}/health, and metrics are at ${health.url}/metrics.\n`);
    const stops = new StopReport(signal, (line) => display.print(line));
    const onState = (sink: string, state: SinkState): void => {
      display.update(sink, state);
      stops.note(sink, state);
      health?.update(sink, state);
      if (state.kind === "halted" && args["fail-fast"]) failed.abort();
    };
    await stayingAlive(() => runSinks(plan, world, onState, signal));
    await Promise.all(running);
    display.end();
    return stops.end(terminal.signal.aborted);
  } finally {
    display.end();
    world.close();
    await health?.close();
    terminal.onWriting(false);
  }
}

/** Loads what serves the state of a run only for a run that asks for it. @throws UsageError */
async function openHealth(
  plan: PipelinePlan,
  { health }: Pick<RunPipelineArguments, "health">,
): Promise<RunHealth | undefined> {
  if (health === undefined) return undefined;
  const { openRunHealth } = await import("./run-health.js");
  return openRunHealth(health, plan, Date.now);
}
