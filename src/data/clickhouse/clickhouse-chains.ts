import { hasTable } from "../../pipelines/sinks/clickhouse/target-table.js";
import type { ClickHouseRow } from "../../pipelines/sinks/clickhouse-server.js";
import type { FilledChain } from "../chains/filled-chains.js";
import type { ClickHousePlace } from "./clickhouse-place.js";
import { chainsOf, chainsTable } from "./clickhouse-tables.js";

/** Whether a database has tables of the data service. @throws ClickHouseError */
export function hasChains({ server, address }: ClickHousePlace): Promise<boolean> {
  return hasTable(server, { database: address.database, name: chainsTable });
}

/** All chains that have tables, by name. @throws ClickHouseError */
export async function clickHouseChains({
  server,
  address,
}: ClickHousePlace): Promise<readonly FilledChain[]> {
  const rows = await server.query(
    `SELECT chain, first_block, natives FROM ${chainsOf(address.database)} FINAL ORDER BY chain`,
  );
  return rows.map(chainIn);
}

/**
 * Finds one of these chains.
 * @throws ClickHouseError
 */
export async function findClickHouseChain(
  place: ClickHousePlace,
  chain: string,
): Promise<FilledChain | undefined> {
  return (await clickHouseChains(place)).find((one) => one.chain === chain);
}

/** Records that a chain has tables; an existing record stays unchanged. @throws ClickHouseError */
export async function addClickHouseChain(
  { server, address }: ClickHousePlace,
  { chain, firstBlock, natives }: FilledChain,
): Promise<void> {
  const chains = chainsOf(address.database);
  await server.run(
    `INSERT INTO ${chains} SELECT {chain:String}, {first:Int64}, {natives:UInt8}, -1, 1
      WHERE {chain:String} NOT IN (SELECT chain FROM ${chains})`,
    { chain, first: String(firstBlock), natives: natives ? "1" : "0" },
  );
}

/** Records that native transfers of a chain are read from now on. @throws ClickHouseError */
export async function addClickHouseNatives(
  { server, address }: ClickHousePlace,
  chain: string,
): Promise<void> {
  const chains = chainsOf(address.database);
  await server.run(
    `INSERT INTO ${chains} SELECT chain, first_block, 1, tokens_to, version + 1 FROM ${chains} FINAL
      WHERE chain = {chain:String}`,
    { chain },
  );
}

/** The last block whose tokens have been looked up; -1 before the first run. @throws ClickHouseError */
export async function notedClickHouseTokens(
  { server, address }: ClickHousePlace,
  chain: string,
): Promise<number> {
  const [row] = await server.query(
    `SELECT tokens_to FROM ${chainsOf(address.database)} FINAL WHERE chain = {chain:String}`,
    { chain },
  );
  return Number(row?.tokens_to ?? -1);
}

/** Records the last block whose tokens have been looked up. @throws ClickHouseError */
export async function noteClickHouseTokens(
  { server, address }: ClickHousePlace,
  chain: string,
  block: number,
): Promise<void> {
  const chains = chainsOf(address.database);
  await server.run(
    `INSERT INTO ${chains} SELECT chain, first_block, natives, {block:Int64}, version + 1 FROM ${chains} FINAL
      WHERE chain = {chain:String}`,
    { chain, block: String(block) },
  );
}

function chainIn({ chain, first_block: first, natives }: ClickHouseRow): FilledChain {
  return { chain: String(chain), firstBlock: Number(first), natives: Number(natives) === 1 };
}
