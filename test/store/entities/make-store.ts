import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteText } from "../../../src/store/database/quote.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { SqlStoreOptions } from "../../../src/store/entities/sql-store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";

/** The templates of the builds in these tests. */
export const templates = [{ name: "Pool" }, { name: "T" }];

/** The entity types that data sources of files write in these tests. */
const fileTypes = ["Note", "Stamp"];

let builds = 0;

/** The deployments that were made, by schema, and the scripts that empty them; of each database. */
const made = new WeakMap<Database, Map<string, { readonly name: string; readonly emptying: string }>>();

/**
 * An empty store for a schema, in a database that is up to date: the one that was made for the same schema before, with
 * nothing left in its tables, since to make tables takes longer than most of what is done with them.
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

/** The script that makes a deployment what it is now, when it is new. */
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
  // What else is known of the deployment goes with its row.
  return `${row.deletes} ${row.restarts ?? ""}
    delete from graphloom.deployments where id = ${row.id};
    insert into graphloom.deployments (${row.columns}) overriding system value
      select ${row.columns} from jsonb_populate_record(null::graphloom.deployments, ${quoteText(row.row ?? "")}::jsonb)`;
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
