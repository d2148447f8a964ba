import { countWrites } from "../../datasets/archive/counted-writes.js";
import type { ChainResult } from "./chain-result.js";
import { type ChainToRun, indexChain, type RunEnvironment, type WantedBlocks } from "./index-chain.js";
import { comparePlan } from "./plan/compare-plan.js";
import type { ChainPlan } from "./plan/plan-chain.js";

/** A plan that could be made. */
export type MadePlan = ChainPlan & { readonly kind: "plan" };

/** Runs a chain like `indexChain`, measures its load, and compares that with the plan unless the run ended early. */
export async function runPlanned(
  plan: MadePlan,
  chain: ChainToRun,
  range: WantedBlocks,
  environment: RunEnvironment,
): Promise<ChainResult> {
  // The tables of a new build are part of its load.
  const before = (await chain.store.head()) && (await chain.bytes?.());
  const archive = environment.archive && countWrites(environment.archive);
  const since = performance.now();
  const outcome = await indexChain(chain, range, { ...environment, archive, measures: true });
  const seconds = (performance.now() - since) / 1000;
  if (outcome.kind !== "run" || outcome.progress.block < plan.to) return { chain, outcome };
  const { progress, requests } = outcome;
  const compared = comparePlan(plan, {
    requests,
    triggers: progress.handlers,
    versions: progress.writes,
    seconds,
    database: chain.bytes && (await chain.bytes()) - (before ?? 0),
    archive: archive?.growth,
  });
  return { chain, outcome, compared };
}
