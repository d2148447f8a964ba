import type { ArchiveFiles } from "../../../datasets/archive/archive-files.js";
import { createNodeWorld } from "../../../machine/world.js";
import { openSampleStores } from "../../../store/open.js";
import type { SampleStores } from "../../../store/sample-stores.js";
import { openCache } from "../../cache/open-cache.js";
import type { Terminal } from "../../terminal/terminal.js";
import type { CacheArguments } from "../../terminal/usage/options.js";
import type { ChainToRun } from "../index-chain.js";
import { ProgressDisplay } from "../progress-display.js";
import { type PlanRange, planChain } from "./plan-chain.js";
import type { NamedPlan } from "./show-plan.js";

/** Opens a database in memory for samples. @throws DatabaseError */
export function openSamples(args: CacheArguments, terminal: Terminal): Promise<SampleStores> {
  return openSampleStores(createNodeWorld(), openCache(args, terminal));
}

/**
 * Plans chains one by one, until the signal is aborted.
 * @param archive the archive's files, which stay unchanged
 * @throws ChainError, ReorgError when a node stays unreachable or inconsistent for too long; DatabaseError
 */
export async function planChains(
  chains: readonly ChainToRun[],
  range: PlanRange,
  stores: SampleStores,
  archive: ArchiveFiles | undefined,
  terminal: Terminal,
): Promise<readonly NamedPlan[]> {
  const display = new ProgressDisplay(terminal, () => performance.now());
  const { signal } = terminal;
  const plans: NamedPlan[] = [];
  try {
    for (const chain of chains) {
      if (signal.aborted) break;
      const plan = await planChain(chain, range, { archive, display, signal, stores });
      plans.push({ chain: chain.chain, plan, hasArchive: archive !== undefined });
    }
  } finally {
    display.end();
  }
  return plans;
}
