import { catalogDeployment } from "../../../src/query/catalog-deployment.js";
import { createQueryEngine } from "../../../src/query/engine.js";
import { type Database, SQL, type SqlFragment, uncheckedSql } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { world } from "../../support/database/databases.js";
import { type DoubleServer, startDouble } from "../../support/network/double-server.js";
import { startQueryServer } from "../../support/server/query-server.js";

export const twinSchema = `
type Account @entity { id: ID! transfers: [Transfer!]! @derivedFrom(field: "sender") friends: [Account!]! }
type Transfer @entity(immutable: true) { id: Bytes! sender: Account! amount: BigInt! price: BigDecimal! note: String tags: [String!]! }
type Point @entity { id: Int8! value: Int! }`;

/** A deployment with the requested number of transfers, and the server that answers its queries. */
export interface Twin {
  readonly server: DoubleServer;
  /** The schema that holds its tables. */
  readonly namespace: string;
  /** Sets the head and records its hash. */
  block(number: number, hash?: string): Promise<void>;
}

export const hashOf = (number: number): string => `0x${String(number).padStart(64, "0")}`;

/** Creates a deployment and fills it in bulk, with a hundred accounts and twenty points. */
export async function startTwin(
  database: Database,
  deployment: string,
  transfers: number,
  { schema = twinSchema, note = "''" }: { readonly schema?: string; readonly note?: string } = {},
): Promise<Twin> {
  await migrate(database);
  const opened = await openDeployment(database, { deployment, network: "mainnet", schema, startBlock: 5 });
  const { namespace } = opened;
  const table = (name: string): SqlFragment => quoteNames(namespace, name);
  const built = { entities: readEntitySchema(schema), dataSources: [1], templates: [] };
  const store = openStore(database, opened, built);
  const block = async (number: number, hash = hashOf(number)): Promise<void> => {
    const header = { number, hash, parentHash: hashOf(number - 1), timestamp: BigInt(number * 12) };
    await store.commit(header, { changes: [], dataSources: [] }, { more: false });
    await store.flush?.();
  };
  await block(6);
  await database.run(SQL`
    insert into ${table("account")} (vid, block_range, id, friends)
      select g, '[6,)', 'a' || g, array['a' || (g % 7), 'a' || (g % 5 + 20)] from generate_series(0, 99) g;
    insert into ${table("transfer")} (vid, "block$", id, sender, amount, price, note, tags)
      select g, 6, decode(lpad(to_hex(g::bigint * 2654435761 % 4294967296), 40, '0'), 'hex'), 'a' || (g % 100), g::numeric * 10 ^ 20, g / 8.0, ${uncheckedSql(note)}, array['t' || g]
      from generate_series(1, ${transfers}) g;
    insert into ${table("point")} (vid, block_range, id, value) select g, '[6,)', g * 7, g from generate_series(1, 20) g;`);
  const engine = createQueryEngine({
    database,
    deployment: catalogDeployment(opened, layoutOf(opened)),
    world,
  });
  return { server: await startQueryServer(engine), namespace, block };
}

/** Starts an endpoint that forwards queries to another and changes its answers. */
export function startTampered(
  { server }: Twin,
  tamper: (answer: string, query: string) => string,
): Promise<DoubleServer> {
  return startDouble(async ({ body }) => {
    const answer = await fetch(server.url, { method: "POST", body: String(body) });
    const changed = tamper(await answer.text(), String(body));
    return { status: 200, body: changed, type: "application/json" };
  });
}
