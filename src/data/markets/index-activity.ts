import { type Database, SQL } from "../../store/database/database.js";
import { quoteName, quoteNames, quoteText } from "../../store/database/quote.js";
import type { Deployment } from "../../store/deployments/deployments.js";
import { marketTables } from "./market-tables.js";

const name = "market_activity_by_wallet";

/**
 * Creates the index that has the activity of each wallet in the order of its pages, unless it exists. The subgraph
 * can write meanwhile. Without the index, a page of a wallet with much activity sorts all the activity.
 * @throws MarketError if the subgraph keeps no market; DatabaseError
 */
export async function indexActivity(database: Database, deployment: Deployment): Promise<void> {
  const { Activity } = marketTables(deployment, deployment.deployment);
  const index = quoteNames(deployment.namespace, name);
  const [found] = await database.query(
    SQL`select indisvalid from pg_index where indexrelid = to_regclass(${quoteText(index)}) and not exists
      (select from pg_stat_progress_create_index where index_relid = indexrelid)`,
  );
  // An interrupted creation leaves an invalid index.
  if (found?.indisvalid === "f") await database.query(SQL`drop index concurrently if exists ${index}`);
  const address = Activity.column("address");
  const wallet = address.codec.prefix?.sql(quoteName(address.name)) ?? quoteName(address.name);
  const order = ["block", "logIndex", "part"].map((field) => quoteName(Activity.column(field).name));
  await database.query(
    SQL`create index concurrently if not exists ${quoteName(name)} on ${Activity.name} using btree
      ((${wallet}), ${order}, "id" collate "C")`,
  );
}
