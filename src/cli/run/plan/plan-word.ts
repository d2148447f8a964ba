import { visible } from "../../../base/text/visible.js";
import type { Optimization } from "../../../compiler/asc/asc.js";
import { openArchiveFiles } from "../../../machine/files/archive-files.js";
import { ChainError, ReorgError } from "../../../runtime/chain/chain.js";
import type { VerifyMode } from "../../../runtime/indexer/logs/verification.js";
import type { SampleStores } from "../../../store/sample-stores.js";
import { reportCompiled } from "../../compile/report-diagnostics.js";
import { configOf, loadOrSay } from "../../named/load-or-say.js";
import type { WordArguments } from "../../named/word-options.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import { givenArchive } from "../../terminal/given-archive.js";
import type { Terminal } from "../../terminal/terminal.js";
import type {
  CacheArguments,
  GatewayArguments,
  OutputArguments,
  ReportArguments,
} from "../../terminal/usage/options.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import { chainsToRun, type StoresToRun } from "../chains-to-run.js";
import { findNodes, wordsFor } from "../find-nodes.js";
import { checkRunArguments } from "../run-arguments.js";
import { openSamples, planChains } from "./plan-chains.js";
import { noPlanText, planDocument, planText } from "./show-plan.js";

export interface PlanArguments
  extends ReportArguments,
    CacheArguments,
    OutputArguments,
    WordArguments,
    GatewayArguments {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly rpc?: readonly string[] | undefined;
  readonly blocks?: number | undefined;
  readonly fromBlock?: number | undefined;
  readonly toBlock?: number | undefined;
  readonly samples: number;
  readonly sampleBlocks: number;
  readonly logRanges: number;
  /** A folder's path. */
  readonly archive?: string | undefined;
  /** Seconds. */
  readonly patience: number;
  readonly verify: VerifyMode;
  readonly optimize: Optimization;
}

/** Samples the chains of a subgraph, and shows what running it will need; returns the exit code. */
export async function planWord(args: PlanArguments, terminal: Terminal): Promise<number> {
  checkPlanArguments(args);
  const loaded = await loadOrSay(args.subgraph, { ...args, gateway: args.ipfs, remote: args }, terminal);
  if (typeof loaded === "number") return loaded;
  const { named, diagnostics, found } = loaded;
  reportCompiled(diagnostics, found !== undefined, args, terminal, configOf(named));
  if (!found) return exitCodes.diagnostics;
  const names = found.builds.map(({ chain }) => chain);
  const urls = findNodes(args.rpc ?? [], names, terminal.env ?? {}, wordsFor(named));
  const folder = givenArchive(args.archive, terminal);
  const archive = folder === undefined ? undefined : openArchiveFiles(folder);
  let stores: SampleStores | undefined;
  try {
    const opened = await openSamples(args, terminal);
    stores = opened;
    const chains = await chainsToRun(found, urls, emptyStores(opened), args, terminal);
    const plans = await planChains(chains, args, opened, archive, terminal);
    if (terminal.signal.aborted) return exitCodes.interrupted;
    terminal.err(noPlanText(plans));
    terminal.out(args.output === "json" ? planDocument(plans) : planText(plans));
    return plans.some(({ plan }) => plan.kind === "none") ? exitCodes.diagnostics : exitCodes.clean;
  } catch (error) {
    if (terminal.signal.aborted) return exitCodes.interrupted;
    if (!(error instanceof ChainError || error instanceof ReorgError)) throw error;
    terminal.err(`${visible(error.message)}\n`);
    return exitCodes.remote;
  } finally {
    await stores?.close();
  }
}

/** Stores that are empty: a plan is for a run from the first block. */
function emptyStores(samples: SampleStores): StoresToRun {
  return {
    store: async ({ build, first }) => ({
      store: (await samples.open(build.subgraph)).store,
      memory: undefined,
      startBlock: first,
    }),
  };
}

function checkPlanArguments(args: PlanArguments): void {
  checkRunArguments({
    ...args,
    output: args.output === "json" ? "json" : "table",
    offline: false,
    watch: false,
    plan: true,
    proofs: false,
  });
  const numbers = [
    ["--samples", args.samples],
    ["--sample-blocks", args.sampleBlocks],
    ["--log-ranges", args.logRanges],
  ] as const;
  for (const [name, value] of numbers) {
    if (!Number.isSafeInteger(value) || value < 1 || value > 10_000)
      throw new UsageError(`${name} must be a whole number from 1 to 10000.`);
  }
}
