import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { MemoryStore } from "./memory-store.js";
import type { Store } from "./store.js";

/**
 * An empty store for the entities of a built subgraph, which lives in memory and is gone with the process.
 * @throws SchemaError for a schema with aggregations, which only databases make
 */
export function createMemoryStore({ entities }: Pick<BuiltSubgraph, "entities">): Store {
  return new MemoryStore(entities);
}
