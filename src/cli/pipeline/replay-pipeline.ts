import { visible } from "../../base/text/visible.js";
import { type ReplayCounts, type ReplayOutcome, replaySink } from "../../pipelines/audit/replay-sink.js";
import type { PipelinePlan } from "../../pipelines/plan/pipeline-plan.js";
import type { BlockRange } from "../../pipelines/sinks/audit.js";
import { isPassing, knownError } from "../../pipelines/tasks/known-error.js";
import { rangeTeller } from "../../pipelines/tasks/pipeline-task.js";
import type { Database } from "../../store/database/database.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { PipelineDisplay } from "./pipeline-display.js";
import { auditWorld, type PipelineArguments } from "./pipeline-world.js";
import type { SubgraphArguments } from "./sources/open-subgraphs.js";
import { chosenSinks, type DefinitionArguments, withPlan } from "./with-plan.js";

/** Arguments of `pipeline replay`. */
export interface ReplayArguments extends DefinitionArguments, PipelineArguments, SubgraphArguments {
  readonly sink: string;
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly yes: boolean;
  readonly format: "text" | "json" | "github";
  readonly color: boolean;
}

/** Sends the rows of some blocks to a sink again; returns the exit code. */
export async function replayPipeline(args: ReplayArguments, terminal: Terminal): Promise<number> {
  const range = replayedRange(args);
  requireAnswer(args.yes, terminal);
  return withPlan(args, terminal, async ({ plan, report }, database) => {
    reportDiagnostics(report.diagnostics, { format: args.format, color: args.color }, terminal);
    return plan ? replayPlan(plan, args, range, { terminal, database }) : exitCodes.diagnostics;
  });
}

async function replayPlan(
  plan: PipelinePlan,
  args: ReplayArguments,
  range: BlockRange,
  { terminal, database }: { readonly terminal: Terminal; readonly database: Database | undefined },
): Promise<number> {
  const [sink] = chosenSinks(plan, args.sink);
  if (!sink) throw new UsageError("--sink: name the sink that gets the rows.");
  const display = new PipelineDisplay(terminal, () => performance.now());
  const world = auditWorld(plan, args, { terminal, display, database });
  const name = visible(sink.name);
  const confirm = async (counts: ReplayCounts): Promise<boolean> => {
    display.end();
    if (args.yes) return true;
    return confirmReplay(counts, range, name, terminal);
  };
  const onRange = rangeTeller(sink, (text) => display.wait(visible(text)));
  terminal.onWriting(true);
  try {
    const outcome = await replaySink(plan, sink, world, { range, onRange, confirm }).catch(knownError);
    display.end();
    if (terminal.signal.aborted) return exitCodes.interrupted;
    if (outcome instanceof Error) {
      terminal.err(`${name}: ${visible(outcome.message)}\n`);
      return isPassing(outcome) ? exitCodes.remote : exitCodes.diagnostics;
    }
    terminal.out(`${name}: ${outcomeText(outcome)}\n`);
    return exitCodes.clean;
  } finally {
    display.end();
    world.close();
    terminal.onWriting(false);
  }
}

/** @throws UsageError if there is no one to ask */
export function requireAnswer(yes: boolean, terminal: Terminal): void {
  if (!yes && !terminal.ask)
    throw new UsageError("Not running in a terminal, so I cannot ask. To send the rows, add --yes.");
}

/** Asks whether rows are to be sent. @param name of the sink, as it is shown */
export async function confirmReplay(
  counts: ReplayCounts,
  range: BlockRange,
  name: string,
  terminal: Terminal,
): Promise<boolean> {
  const what = `Send ${count(counts.rows, "row")} of blocks ${range.from}-${range.to} to ${name} again${overtakenText(counts)}?`;
  const answer = await terminal.ask?.(`${what} [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/** The outcome of a replay, for people. */
export function outcomeText(outcome: ReplayOutcome): string {
  if (outcome.rows === 0) return `there is nothing to send${overtakenText(outcome)}`;
  return outcome.isSent
    ? `sent ${count(outcome.rows, "row")} again${overtakenText(outcome)}`
    : "nothing was sent";
}

function overtakenText({ overtaken }: ReplayCounts): string {
  return overtaken === 0 ? "" : `, without ${count(overtaken, "row")} that later ones have overtaken`;
}

/** @throws UsageError */
export function replayedRange({
  fromBlock,
  toBlock,
}: Pick<ReplayArguments, "fromBlock" | "toBlock">): BlockRange {
  const isBlock = /^\d{1,15}$/;
  if (!isBlock.test(fromBlock) || !isBlock.test(toBlock) || Number(toBlock) < Number(fromBlock))
    throw new UsageError("--from-block, --to-block: write the numbers of the first and the last block.");
  return { from: Number(fromBlock), to: Number(toBlock) };
}
