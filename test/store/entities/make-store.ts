import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteText } from "../../../src/store/database/quote.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { SqlStoreOptions } from "../../../src/store/entities/sql-store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";

/** The templates of the builds in these tests. */
export const templates = [{ name: "Pool" }, { name: "T" }];

/** The entity types that file data sources write in these tests. */
const fileTypes = ["Note", "Stamp"];

let builds = 0;

/** For each database, its deployments by schema, with the scripts that empty them. */
const made = new WeakMap<Database, Map<string, { readonly name: string; readonly emptying: string }>>();

/**
 * Returns an empty store for a schema, in a migrated database. It reuses and empties the store that an earlier call
 * created for the same schema, because creating tables takes longer than most tests.
 */
export async function makeStore(
  database: Database,
  schema: string,
  limits?: Pick<SqlStoreOptions, "mostChanges" | "mostRemembered">,
): Promise<Store> {
  const known = made.get(database) ?? new Map();
  made.set(database, known);
  const before = known.get(schema);
  if (before) {
    await database.run(before.emptying);
    return reopenStore(database, schema, before.name, limits);
  }
  builds += 1;
  const name = `Qm${builds}`;
  const store = await reopenStore(database, schema, name, limits);
  known.set(schema, { name, emptying: await emptyingOf(database, name) });
  return store;
}

/** Returns a script that resets a deployment to its current, new state. */
async function emptyingOf(database: Database, name: string): Promise<string> {
  const [row] = await database.query(
    SQL`select id, to_jsonb(deployments) as row, (select string_agg(quote_ident(attname), ', ') from pg_attribute
        where attrelid = 'graphloom.deployments'::regclass and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select string_agg(format('delete from %s;', oid::regclass), ' ') from pg_class
        where relnamespace = to_regnamespace('sgd' || id) and relkind = 'r') as deletes,
      (select string_agg(format('alter sequence %s restart;', oid::regclass), ' ') from pg_class
        where relnamespace = to_regnamespace('sgd' || id) and relkind = 'S') as restarts
      from graphloom.deployments where deployment = $1::text`,
    [name],
  );
  if (!row) throw new Error(`there is no deployment ${name}`);
  // Deleting the row also deletes everything that refers to it.
  return `${row.deletes} ${row.restarts ?? ""}
    delete from graphloom.deployments where id = ${row.id};
    insert into graphloom.deployments (${row.columns}) overriding system value
      select ${row.columns} from jsonb_populate_record(null::graphloom.deployments, ${quoteText(row.row ?? "")}::jsonb)`;
}

/** Opens the store of a build with its current contents. */
export async function reopenStore(
  database: Database,
  schema: string,
  deployment: string,
  limits?: Pick<SqlStoreOptions, "mostChanges" | "mostRemembered">,
): Promise<Store> {
  const opened = await openDeployment(database, {
    deployment,
    network: "mainnet",
    schema,
    startBlock: 0,
    fileTypes: new Set(fileTypes),
  });
  return openStore(
    database,
    opened,
    { entities: readEntitySchema(schema), dataSources: [1], templates },
    limits,
  );
}

/** The same store, but with every block committed as if more would follow. */
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
