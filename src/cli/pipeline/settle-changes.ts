import { visible } from "../../base/text/visible.js";
import { PipelineError } from "../../pipelines/changes/pipeline-error.js";
import type { PipelinePlan } from "../../pipelines/plan/pipeline-plan.js";
import { changesText, isBarred } from "../../pipelines/runner/guard-lineage.js";
import type { AuditedWorld } from "../../pipelines/sinks/audit.js";
import {
  type ChangedSink,
  changedSinks,
  choicesOf,
  continueSink,
  resetSink,
} from "../../pipelines/snapshots/changed-sinks.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** What to do with sinks whose rows are computed differently than before. */
export interface ChangeArguments {
  readonly continue: boolean;
  readonly reset: boolean;
  readonly recreate: boolean;
  readonly yes: boolean;
}

/** What to do about a sink that could not be asked before the run. */
export const changeAdvice = {
  either: "Run the pipeline with --continue to continue at its position, or with --reset to start over",
  anew: "Run the pipeline with --reset to start over, or restore the definition",
} as const;

/** @throws UsageError if the arguments contradict each other, or there is no one to ask */
export function checkChangeArguments(args: ChangeArguments, terminal: Terminal): void {
  const resets = args.reset || args.recreate;
  if (args.continue && resets)
    throw new UsageError("--continue: sinks go on with it, and start over with --reset. Pass one of them.");
  if (resets && !args.yes && !terminal.ask)
    throw new UsageError("Not running in a terminal, so I cannot ask. To empty sinks, add --yes.");
}

/**
 * Finds sinks that would compute their rows differently than before, and does what the user has chosen,
 * before anything else is written.
 * @returns the exit code if the pipeline is not to run
 */
export async function settleChanges(
  plan: PipelinePlan,
  args: ChangeArguments,
  world: AuditedWorld,
  terminal: Terminal,
): Promise<number | undefined> {
  try {
    const changed = await changedSinks(plan, world, (error) => error instanceof PipelineError);
    if (args.reset || args.recreate) return await resetAll(plan, changed, args, world, terminal);
    if (changed.length === 0) return undefined;
    if (args.continue) return await continueAll(plan, changed, world, terminal);
    for (const one of changed) terminal.err(choicesText(one));
    terminal.err("Nothing was written. Choose what becomes of these sinks, or restore the definition.\n");
    return exitCodes.diagnostics;
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    terminal.err(`${visible(error.message)}\n`);
    return error.isTemporary ? exitCodes.remote : exitCodes.diagnostics;
  }
}

function choicesText(changed: ChangedSink): string {
  const { continues, resets, otherwise } = choicesOf(changed, false);
  const lines = [
    `Sink ${visible(changed.sink.name)}: ${visible(changesText(changed.changes))}`,
    ...(continues ? ["  --continue  it goes on at its position, and rows that it has stay as they are"] : []),
    ...(resets === undefined ? [] : [`  --reset     ${resets}`]),
    ...(otherwise === undefined ? [] : [`  ${otherwise}`]),
  ];
  return `${lines.join("\n")}\n`;
}

async function continueAll(
  plan: PipelinePlan,
  changed: readonly ChangedSink[],
  world: AuditedWorld,
  terminal: Terminal,
): Promise<number | undefined> {
  const barred = changed.filter(({ changes }) => isBarred(changes));
  if (barred.length > 0) {
    for (const one of barred) terminal.err(choicesText(one));
    terminal.err("These sinks cannot go on at their positions. Nothing was written.\n");
    return exitCodes.diagnostics;
  }
  for (const one of changed)
    await continueSink(plan, one, world, (text) => terminal.err(`${visible(text)}\n`));
  return undefined;
}

async function resetAll(
  plan: PipelinePlan,
  changed: readonly ChangedSink[],
  { recreate, yes }: ChangeArguments,
  world: AuditedWorld,
  terminal: Terminal,
): Promise<number | undefined> {
  if (changed.length === 0) {
    terminal.err("No sink has rows that are computed otherwise, so nothing is reset.\n");
    return undefined;
  }
  const fixed = changed.filter((one) => choicesOf(one, recreate).resets === undefined);
  if (fixed.length > 0) {
    for (const one of fixed) terminal.err(choicesText(one));
    terminal.err("These sinks cannot start over like this. Nothing was written.\n");
    return exitCodes.diagnostics;
  }
  for (const one of changed)
    terminal.err(`Sink ${visible(one.sink.name)}: ${choicesOf(one, recreate).resets}\n`);
  if (!yes) {
    const answer = await terminal.ask?.("Start over? [y/N] ");
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
      terminal.err("Nothing was written.\n");
      return exitCodes.clean;
    }
  }
  for (const one of changed) await resetSink(plan, one, recreate, world);
  return undefined;
}
