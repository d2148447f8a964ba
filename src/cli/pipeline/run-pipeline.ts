import { visible } from "../../base/visible.js";
import type { FlowPlan } from "../../flows/plan/flow-plan.js";
import { runFlow, type SinkState } from "../../flows/runner/run-flow.js";
import { SinkError } from "../../flows/sinks/sink.js";
import { SourceError } from "../../flows/sources/source-error.js";
import { QueryError } from "../../flows/sql/engine.js";
import { TransformError } from "../../flows/transforms/row-transform.js";
import { PackageMissingError } from "../../node/optional-package.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseError } from "../../store/open.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { FlowDisplay } from "./flow-display.js";
import { type FlowArguments, flowWorld } from "./flow-world.js";
import {
  databaseFailure,
  type OpenSubgraphs,
  openSubgraphs,
  requiredPlace,
  type SubgraphArguments,
} from "./open-subgraphs.js";
import { planFile } from "./plan-file.js";

/** Arguments of `pipeline run`. */
export interface RunPipelineArguments extends ReportArguments, SubgraphArguments, FlowArguments {
  readonly configPath: string;
  readonly var?: readonly string[] | undefined;
}

/** Runs a definition until its sources end or the user interrupts; returns the exit code. */
export async function runPipeline(args: RunPipelineArguments, terminal: Terminal): Promise<number> {
  let subgraphs: OpenSubgraphs | undefined;
  try {
    const { plan, report } = await planFile(args.configPath, args.var ?? [], terminal, async () => {
      subgraphs = await openSubgraphs(requiredPlace(args, terminal));
      return subgraphs.catalog;
    });
    reportDiagnostics(report.diagnostics, args, terminal);
    return plan ? await runPlan(plan, args, subgraphs?.database, terminal) : exitCodes.diagnostics;
  } catch (error) {
    if (error instanceof DatabaseError) {
      terminal.err(`The database of the subgraphs cannot be read: ${visible(databaseFailure(error))}\n`);
      return exitCodes.remote;
    }
    if (!(error instanceof PackageMissingError)) throw error;
    terminal.err(`${error.message}\n`);
    return exitCodes.usage;
  } finally {
    await subgraphs?.database.close();
  }
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
    const isOfPlace =
      error instanceof SinkError || error instanceof SourceError || error instanceof TransformError;
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
