import type { CallTrace, Log } from "../chain/chain.js";

/** What a block holds for the sources that listen. */
export interface BlockTriggers {
  readonly logs: readonly Log[];
  readonly calls: readonly CallTrace[];
}
