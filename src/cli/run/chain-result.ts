import type { ChainOutcome, ChainToRun } from "./index-chain.js";
import type { ComparedFigure } from "./plan/compare-plan.js";

/** A chain and the outcome of its run. */
export interface ChainResult {
  readonly chain: ChainToRun;
  readonly outcome: ChainOutcome;
  /** The plan and the measured load; absent unless the run was planned. */
  readonly compared?: readonly ComparedFigure[] | undefined;
}
