import { openDeployment } from "../../../src/platform/catalog/deployments.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openStore } from "../../../src/platform/entities/open-store.js";
import type { SqlStoreOptions } from "../../../src/platform/entities/sql-store.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";

/** The templates of the builds in these tests. */
export const templates = [{ name: "Pool" }, { name: "T" }];

/** The entity types that data sources of files write in these tests. */
const fileTypes = ["Note", "Stamp"];

let builds = 0;

/** An empty store for a schema, in a database that is up to date. */
export async function makeStore(
  database: Database,
  schema: string,
  limits?: Pick<SqlStoreOptions, "mostChanges" | "mostRemembered">,
): Promise<Store> {
  builds += 1;
  return reopenStore(database, schema, `Qm${builds}`, limits);
}

/** The store of a build, as it was left. */
export async function reopenStore(
  database: Database,
  schema: string,
  deployment: string,
  limits?: Pick<SqlStoreOptions, "mostChanges" | "mostRemembered">,
): Promise<Store> {
  const opened = await openDeployment(database, {
    ...{ deployment, network: "mainnet", schema, startBlock: 0 },
    fileTypes: new Set(fileTypes),
  });
  return openStore(
    database,
    opened,
    { entities: readEntitySchema(schema), dataSources: [1], templates },
    limits,
  );
}

/** The same store, told of every block that more will follow. */
export function holdingBack(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "commit") return value.bind(target);
      return (...[block, writes]: Parameters<Store["commit"]>) =>
        target.commit(block, writes, { more: true });
    },
  });
}
