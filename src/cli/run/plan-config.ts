import { visible } from "../../base/visible.js";
import type { Optimization } from "../../compiler/asc/asc.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import type { VerifyMode } from "../../runtime/indexer/verification.js";
import { compileConfig } from "../compile/compile-project.js";
import { reportCompiled } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { givenArchive } from "../terminal/given-archive.js";
import type { CacheArguments, OutputArguments, ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { chainsToRun } from "./chains-to-run.js";
import { findNodes } from "./find-nodes.js";
import { planChain } from "./plan-chain.js";
import { ProgressDisplay } from "./progress-display.js";
import { checkRunArguments } from "./run-arguments.js";
import { planDocument, planText } from "./show-plan.js";

/** Arguments of `plan`. */
export interface PlanArguments extends ReportArguments, CacheArguments, OutputArguments {
  readonly config: string;
  readonly rpc?: readonly string[] | undefined;
  readonly ipfs?: string | undefined;
  readonly blocks?: number | undefined;
  readonly fromBlock?: number | undefined;
  readonly toBlock?: number | undefined;
  readonly samples: number;
  readonly sampleBlocks: number;
  /** A folder's path. */
  readonly archive?: string | undefined;
  /** Seconds. */
  readonly patience: number;
  readonly verify: VerifyMode;
  readonly optimize: Optimization;
}

/** Builds a configuration, samples its chains, and shows what running it will need; returns the exit code. */
export async function planConfig(args: PlanArguments, terminal: Terminal): Promise<number> {
  checkPlanArguments(args);
  const compiled = await compileConfig(args.config, true, { optimize: args.optimize }, args, terminal);
  const { diagnostics, model } = compiled;
  reportCompiled(
    diagnostics,
    model !== undefined,
    args,
    terminal,
    args.config === "-" ? undefined : args.config,
  );
  if (!model) return exitCodes.diagnostics;
  const names = model.chains.map(({ chain }) => chain);
  const urls = findNodes(args.rpc ?? [], names, terminal.env ?? {});
  const display = new ProgressDisplay(terminal, () => performance.now());
  const archive = givenArchive(args.archive, terminal);
  try {
    const chains = await chainsToRun(compiled, urls, undefined, args, terminal);
    const plans = [];
    for (const chain of chains) {
      const plan = await planChain(chain, args, { archive, display, signal: terminal.signal });
      if (terminal.signal.aborted) return exitCodes.interrupted;
      plans.push({ chain: chain.chain, plan });
    }
    display.end();
    terminal.out(args.output === "json" ? planDocument(plans) : planText(plans));
    return plans.some(({ plan }) => plan.kind === "none") ? exitCodes.diagnostics : exitCodes.clean;
  } catch (error) {
    if (terminal.signal.aborted) return exitCodes.interrupted;
    if (!(error instanceof ChainError || error instanceof ReorgError)) throw error;
    display.end();
    terminal.err(`${visible(error.message)}\n`);
    return exitCodes.remote;
  } finally {
    display.end();
  }
}

function checkPlanArguments(args: PlanArguments): void {
  checkRunArguments({
    ...args,
    output: args.output === "json" ? "json" : "table",
    offline: false,
    watch: false,
  });
  const numbers = [
    ["--samples", args.samples],
    ["--sample-blocks", args.sampleBlocks],
  ] as const;
  for (const [name, value] of numbers) {
    if (!Number.isSafeInteger(value) || value < 1 || value > 10_000)
      throw new UsageError(`${name} must be a whole number from 1 to 10000.`);
  }
}
