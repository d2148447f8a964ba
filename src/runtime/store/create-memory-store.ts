import { BundleError } from "../../subgraph/bundle-error.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { MemoryStore } from "./memory-store.js";
import type { Store } from "./store.js";

/**
 * Creates an empty store in memory for the entities of a built subgraph.
 * @throws SchemaError for a schema with aggregations, which only databases make; BundleError for a graft, which only a
 * database has the base of
 */
export function createMemoryStore({ entities, graft }: Pick<BuiltSubgraph, "entities" | "graft">): Store {
  if (graft) {
    throw new BundleError(
      `the manifest is grafted onto ${graft.base}, which requires a database (run --database)`,
    );
  }
  return new MemoryStore(entities);
}
