import type { BuiltSubgraph } from "../../subgraph/built-subgraph.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { createMemoryStore as createStore } from "./memory-store.js";
import type { Store } from "./store.js";

/**
 * An empty store for the entities of a built subgraph, which lives in memory and is gone with the process.
 * @throws SchemaError for a schema that cannot be run
 */
export function createMemoryStore({ schema }: Pick<BuiltSubgraph, "schema">): Store {
  return createStore(readEntitySchema(schema));
}
