import type { World } from "../../base/world.js";
import { catalogDeployment } from "../../query/catalog-deployment.js";
import { createQueryEngine, type QueryEngine } from "../../query/engine.js";
import type { Store } from "../../runtime/store/store.js";
import type { Database } from "../../store/database/database.js";
import { layoutOf, openDeployment } from "../../store/deployments/deployments.js";
import { dropDeployment } from "../../store/deployments/drop-deployment.js";
import { newDeployment } from "../../store/deployments/new-deployment.js";
import { openStore } from "../../store/entities/open-store.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";

/** The entities of one test, and the engine that answers its queries. */
export interface TestDeployment {
  /** Empty at first. */
  readonly store: Store;
  readonly engine: QueryEngine;
  /** Removes the entities from the database. @throws DatabaseError */
  drop(): Promise<void>;
}

/**
 * Opens a deployment for one test. A graft is not taken over.
 * @param database a migrated database in which no other deployment has the name
 * @throws DatabaseError; SchemaError when the schema has no layout
 */
export async function openTestDeployment(
  { graft: _, ...built }: BuiltSubgraph,
  database: Database,
  world: Pick<World, "now">,
): Promise<TestDeployment> {
  const wanted = newDeployment(built, "test");
  const deployment = await openDeployment(database, wanted);
  const opened = catalogDeployment(deployment, layoutOf(deployment, built.entities));
  return {
    store: openStore(database, deployment, built),
    engine: createQueryEngine({ database, deployment: opened, world }),
    drop: async () => {
      await dropDeployment(database, wanted.deployment);
    },
  };
}
