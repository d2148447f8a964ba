import type { CallTrace, Log } from "../../chain/chain.js";
import type { WrittenEntity } from "../composition/entity-window.js";

/** The logs and calls of a block that sources listen to, or the entities that other subgraphs have written in it. */
export interface BlockTriggers {
  readonly logs: readonly Log[];
  readonly calls: readonly CallTrace[];
  /** In the order in which their handlers run. */
  readonly entities?: readonly WrittenEntity[];
}
