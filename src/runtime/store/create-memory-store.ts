import { BundleError } from "../../subgraph/bundle-error.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { MemoryStore } from "./memory-store.js";
import type { Store } from "./store.js";

/**
 * Creates an empty in-memory store for the entities of a built subgraph.
 * @throws SchemaError for a schema with aggregations, which require a database; BundleError for a graft, whose base
 * only a database contains
 */
export function createMemoryStore({ entities, graft }: Pick<BuiltSubgraph, "entities" | "graft">): Store {
  if (graft) {
    throw new BundleError(
      `the manifest is grafted onto ${graft.base}, which requires a database (run --database)`,
    );
  }
  return new MemoryStore(entities);
}
