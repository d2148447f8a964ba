import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { MemoryStore } from "./memory-store.js";
import type { Store } from "./store.js";

/** Creates an empty store in memory for the entities of a built subgraph. */
export function createMemoryStore({ entities }: Pick<BuiltSubgraph, "entities">): Store {
  return new MemoryStore(entities);
}
