import { poiRegion } from "../../runtime/poi/proof-of-indexing.js";
import type { Store } from "../../runtime/store/store.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import type { Database } from "../database/database.js";
import { type Deployment, layoutOf } from "../deployments/deployments.js";
import type { Layout } from "../tables/layout.js";
import { rollUpsOf } from "../tables/roll-up-sql.js";
import type { SourceNumbers } from "./data-sources.js";
import { EntityTable } from "./entity-table.js";
import type { Reverted } from "./revert-blocks.js";
import { SqlStore, type SqlStoreOptions } from "./sql-store.js";

/** The parts of a built subgraph that a store needs. */
export type Stored = Pick<BuiltSubgraph, "entities"> & {
  readonly dataSources: readonly unknown[];
  readonly templates: readonly { readonly name: string }[];
};

/**
 * Opens the store of a deployment with its current contents. No other process may write to the deployment.
 */
export function openStore(
  database: Database,
  deployment: Deployment,
  { entities, dataSources, templates }: Stored,
  options: Pick<SqlStoreOptions, "mostChanges" | "mostRemembered" | "onWritten"> = {},
): Store {
  const sources: SourceNumbers = {
    namespace: deployment.namespace,
    dataSources: dataSources.length,
    templates: templates.map(({ name }) => name),
  };
  return new SqlStore({
    ...tablesToRevert(deployment, entities),
    database,
    schema: entities,
    sources,
    historyBlocks: deployment.historyBlocks,
    head: deployment.head && { number: deployment.head.number, hash: deployment.head.hash },
    ...options,
  });
}

/** What a reversal changes in a deployment. */
export function tablesToRevert(deployment: Deployment, entities: EntitySchema): Reverted {
  const layout = layoutOf(deployment, entities);
  return {
    deployment: deployment.id,
    tables: entityTables(layout, entities),
    rollUps: rollUpsOf(entities, layout),
    sources: { namespace: deployment.namespace },
    ...(deployment.proofVariant && {
      proofs: {
        namespace: deployment.namespace,
        region: poiRegion(deployment),
        hasTimes: entities.aggregations.length > 0,
      },
    }),
  };
}

/** The tables of a deployment's entity types, by type. */
export function entityTables(
  { namespace, tables }: Layout,
  { types }: Pick<EntitySchema, "types">,
): ReadonlyMap<string, EntityTable> {
  return new Map(
    tables.flatMap((table) => {
      const type = types.get(table.type);
      return type ? [[table.type, new EntityTable(namespace, table, type)] as const] : [];
    }),
  );
}
