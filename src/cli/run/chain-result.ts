import type { ChainOutcome, ChainToRun } from "./index-chain.js";

/** A chain and what came of it. */
export interface ChainResult {
  readonly chain: ChainToRun;
  readonly outcome: ChainOutcome;
}
