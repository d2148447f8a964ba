import { finalityOf } from "../../chains/finality.js";
import type { Database } from "../../store/database/database.js";
import { type Deployment, findDeployment } from "../../store/deployments/deployments.js";
import { chainOfNetwork } from "../chains/data-chain.js";
import { readSnapshot } from "../reads/postgres-store.js";
import type { Market } from "./market.js";
import { type MarketTables, marketTables } from "./market-tables.js";
import { PostgresMarketReads } from "./postgres-market-reads.js";

/** The subgraph of a market, and how to read it. */
export interface PostgresMarketOptions {
  /** The subgraph's name and version, for messages. */
  readonly subgraph: string;
  readonly deployment: Deployment;
  /** Milliseconds that a statement may take. */
  readonly limit: number;
}

/**
 * The market that a subgraph keeps in a database.
 * @throws MarketError if its schema is not a market's
 */
export function createPostgresMarket(
  database: Database,
  { subgraph, deployment: first, limit }: PostgresMarketOptions,
): Market {
  const { deployment: build, network } = first;
  let known: { readonly id: number; readonly tables: MarketTables } | undefined;
  const tablesOf = (deployment: Deployment): MarketTables => {
    // A build that was removed and indexed again has different tables.
    if (known?.id !== deployment.id)
      known = { id: deployment.id, tables: marketTables(deployment, subgraph) };
    return known.tables;
  };
  tablesOf(first);
  return {
    subgraph,
    build,
    chain: chainOfNetwork(network),
    depth: finalityOf(network).depth,
    read: (work) =>
      readSnapshot(database, limit, async (sql) => {
        const deployment = await findDeployment(sql, build);
        return work(new PostgresMarketReads(sql, deployment && { deployment, tables: tablesOf(deployment) }));
      }),
  };
}
