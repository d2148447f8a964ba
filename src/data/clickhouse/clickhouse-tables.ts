import { StateRows } from "../../pipelines/sinks/clickhouse/state-rows.js";
import { hasTable, quotedTable } from "../../pipelines/sinks/clickhouse/target-table.js";
import type { PipelineTables } from "../../pipelines/sinks/clickhouse/written-places.js";
import { pipelineOf } from "../filling/chain-tables.js";
import { type Category, categories } from "../reads/data-reads.js";
import type { ClickHousePlace } from "./clickhouse-place.js";

/**
 * The key of transfer rows. It contains all columns that select rows, so that old versions of rows are selected in
 * the same way.
 */
export const movesKey = "wallet, block_number, sequence, token";

/** The name of a table of a chain. */
export function clickHouseTable(chain: string, category: Category): string {
  return `graphloom_data_${chain}_${category}`;
}

/** The tables of a chain, by the names of their sinks. */
export function clickHouseTables(database: string, chain: string): PipelineTables {
  const tables = categories.map((category) => [category, clickHouseTable(chain, category)]);
  return { flow: pipelineOf(chain), database, tables: Object.fromEntries(tables) };
}

const blockColumns = `number Int64, timestamp Int64, hash String, parent_hash String, author String, size Nullable(Int64),
  receipts_root String, transactions_root String, state_root String, uncles_hash String, transaction_count Int64,
  base_fee_per_gas Nullable(Int64), gas_limit Nullable(Int64), gas_used Nullable(Int64)`;
const blockIndexes =
  "INDEX hashes hash TYPE bloom_filter(0.001) GRANULARITY 1, INDEX times timestamp TYPE minmax GRANULARITY 1";
// Every amount fits; the sign tells which half of the transfer the row is.
const moveColumns = `wallet String, block_number Int64, sequence Int64, token String, block_timestamp Int64,
  transaction_hash String, counterparty String, amount UInt256`;

const definitions: Readonly<Record<Category, string>> = {
  blocks: definition(`${blockColumns}, ${blockIndexes}`, "number"),
  transfers: definition(moveColumns, movesKey),
  natives: definition(moveColumns, movesKey),
};

/** Reads fetch few rows at a time, so index marks are close. */
function definition(columns: string, key: string): string {
  return `(${columns}, version UInt64, is_deleted UInt8, INDEX graphloom_version version TYPE minmax GRANULARITY 1)
    ENGINE = ReplacingMergeTree(version, is_deleted) ORDER BY (${key}) SETTINGS index_granularity = 1024`;
}

/**
 * Creates the database and the tables of a chain that are missing. A table that a user has dropped is filled
 * again.
 * @throws ClickHouseError
 */
export async function createClickHouseTables(
  { server, address: { database } }: ClickHousePlace,
  chain: string,
): Promise<void> {
  const flow = pipelineOf(chain);
  for (const category of categories) {
    const table = { database, name: clickHouseTable(chain, category) };
    const state = new StateRows(server, database, { flow, sink: category, target: table.name });
    await state.prepare();
    if (await hasTable(server, table)) continue;
    await state.delete();
    await server.run(`CREATE TABLE ${quotedTable(table)} ${definitions[category]}`);
  }
  await server.run(
    `CREATE TABLE IF NOT EXISTS ${chainsOf(database)} (
      chain String, first_block Int64, natives UInt8, tokens_to Int64, version UInt64)
      ENGINE = ReplacingMergeTree(version) ORDER BY chain`,
  );
}

/** The table with the chains that have tables. */
export const chainsTable = "graphloom_data_chains";

/** `chainsTable` in SQL. */
export function chainsOf(database: string): string {
  return quotedTable({ database, name: chainsTable });
}
