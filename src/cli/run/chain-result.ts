import type { ChainOutcome, ChainToRun } from "./index-chain.js";

/** A chain and the outcome of its run. */
export interface ChainResult {
  readonly chain: ChainToRun;
  readonly outcome: ChainOutcome;
}
