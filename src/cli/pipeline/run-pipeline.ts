import { visible } from "../../base/visible.js";
import { FlowError } from "../../flows/changes/flow-error.js";
import type { FlowPlan } from "../../flows/plan/flow-plan.js";
import { runFlow, type SinkState } from "../../flows/runner/run-flow.js";
import { QueryError } from "../../flows/sql/engine.js";
import { PackageMissingError } from "../../node/optional-package.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import type { Database } from "../../store/database/database.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { FlowDisplay } from "./flow-display.js";
import { type FlowArguments, flowWorld } from "./flow-world.js";
import type { SubgraphArguments } from "./open-subgraphs.js";
import { type DefinitionArguments, withPlan } from "./with-plan.js";

/** Arguments of `pipeline run`. */
export interface RunPipelineArguments
  extends ReportArguments,
    DefinitionArguments,
    SubgraphArguments,
    FlowArguments {}

/** Runs a definition until its sources end or the user interrupts; returns the exit code. */
export function runPipeline(args: RunPipelineArguments, terminal: Terminal): Promise<number> {
  return withPlan(args, terminal, async ({ plan, report: { diagnostics } }, database) => {
    reportDiagnostics(diagnostics, args, terminal);
    return plan ? runPlan(plan, args, database, terminal) : exitCodes.diagnostics;
  });
}

async function runPlan(
  plan: FlowPlan,
  args: RunPipelineArguments,
  database: Database | undefined,
  terminal: Terminal,
): Promise<number> {
  const display = new FlowDisplay(terminal, () => performance.now());
  const running = new Set<Promise<void>>();
  const world = flowWorld(plan, args, { database, running, terminal, display });
  terminal.onWriting(true);
  try {
    const ends = await runFlow(plan, world, (sink, state) => display.update(sink, state), terminal.signal);
    await Promise.all(running);
    display.end();
    return report(ends, terminal);
  } finally {
    display.end();
    world.close();
    terminal.onWriting(false);
  }
}

/** Says how each sink ended; returns the exit code. @throws what is no failure of a node, a transform or a sink */
function report(ends: ReadonlyMap<string, SinkState>, terminal: Terminal): number {
  let code: number = terminal.signal.aborted ? exitCodes.interrupted : exitCodes.clean;
  for (const [name, state] of ends) {
    if (state.kind !== "halted" || (terminal.signal.aborted && isOfNode(state.error))) continue;
    const { error } = state;
    const isOfPlace = error instanceof FlowError;
    const isOfUser = error instanceof QueryError || error instanceof PackageMissingError;
    const isKnown = isOfPlace || isOfUser || isOfNode(error);
    if (!isKnown) throw error;
    terminal.err(`Sink ${visible(name)} has stopped: ${visible((error as Error).message)}\n`);
    code = isOfNode(error) || (isOfPlace && error.isTemporary) ? exitCodes.remote : exitCodes.diagnostics;
  }
  return code;
}

function isOfNode(error: unknown): boolean {
  return error instanceof ChainError || error instanceof ReorgError;
}
