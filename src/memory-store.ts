import type { BuiltSubgraph } from "./runtime/built/built-subgraph.js";
import { createMemoryStore as createStore } from "./runtime/store/memory-store.js";
import { readEntitySchema } from "./runtime/store/read-entity-schema.js";
import type { Store } from "./runtime/store/store.js";

/**
 * An empty store for the entities of a built subgraph, which lives in memory and is gone with the process.
 * @throws SchemaError for a schema that cannot be run
 */
export function createMemoryStore({ schema }: Pick<BuiltSubgraph, "schema">): Store {
  return createStore(readEntitySchema(schema));
}
