import type { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import type { ChainOutcome, ChainToRun } from "./index-chain.js";

/** A chain and what came of it, or why nothing did. */
export interface ChainResult {
  readonly chain: ChainToRun;
  readonly outcome?: ChainOutcome;
  readonly unreachable?: ChainError | ReorgError;
}
