import { createStateTables } from "../../pipelines/sinks/postgres/state-tables.js";
import { forgetPlaces } from "../../pipelines/sinks/postgres/written-places.js";
import { type Database, SQL } from "../../store/database/database.js";
import { quoteName, quoteNames } from "../../store/database/quote.js";

/** The name of the pipeline that fills the tables of a chain. */
export function pipelineOf(chain: string): string {
  return `data-${chain}`;
}

/** The tables of a chain that pipelines fill. */
export type ChainTable = "blocks" | "transfers" | "balances" | "natives";

/** The schema with the tables of a chain. */
export function schemaOf(chain: string): string {
  return `graphloom_data_${chain}`;
}

/** The name of a table in a statement. */
export function tableOf(chain: string, table: ChainTable): ReturnType<typeof quoteNames> {
  return quoteNames(schemaOf(chain), table);
}

/**
 * Creates the missing tables of a chain, with the indexes for reading them. `balances` is left to the sink that sums
 * up `transfers`.
 *
 * Each transfer is two rows: one that leaves `counterparty` out of `wallet`'s balance and one that brings it in. So a
 * wallet's moves are one range of one index, in the order of the chain, and its balances are sums of `amount`.
 * @throws DatabaseError
 */
export async function createChainTables(database: Database, chain: string): Promise<void> {
  const moves = SQL`block_number bigint not null, sequence bigint not null, block_timestamp bigint not null,
    transaction_hash text not null, wallet text not null, counterparty text not null, token text not null,
    amount numeric not null, primary key (block_number, sequence)`;
  const tables = SQL`create table if not exists ${tableOf(chain, "blocks")} (
      number bigint primary key, timestamp bigint not null, hash text not null, parent_hash text not null,
      author text not null, size bigint, receipts_root text not null, transactions_root text not null,
      state_root text not null, uncles_hash text not null, transaction_count bigint not null,
      base_fee_per_gas bigint, gas_limit bigint, gas_used bigint);
    create index if not exists blocks_hash on ${tableOf(chain, "blocks")} (hash);
    create index if not exists blocks_timestamp on ${tableOf(chain, "blocks")} (timestamp, number);
    create table if not exists ${tableOf(chain, "transfers")} (${moves});
    create index if not exists transfers_wallet on ${tableOf(chain, "transfers")} (wallet, block_number, sequence) include (token);
    create table if not exists ${tableOf(chain, "natives")} (${moves});
    create index if not exists natives_wallet on ${tableOf(chain, "natives")} (wallet, block_number, sequence) include (token)`;
  await database.transaction(async (sql) => {
    // Another process that creates the same tables waits here, and then finds them.
    await createStateTables(sql);
    const [found] = await sql.query(SQL`select count(*) as made from pg_namespace where nspname = $1::text`, [
      schemaOf(chain),
    ]);
    // If the tables existed, a user has dropped them: the pipeline starts over.
    if (found?.made === "0") await forgetPlaces(sql, pipelineOf(chain));
    await sql.run(SQL`create schema if not exists ${quoteName(schemaOf(chain))}`);
    await sql.run(tables);
  });
}
