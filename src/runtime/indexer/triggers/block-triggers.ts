import type { CallTrace, Log } from "../../chain/chain.js";

/** The logs and calls of a block that sources listen to. */
export interface BlockTriggers {
  readonly logs: readonly Log[];
  readonly calls: readonly CallTrace[];
}
