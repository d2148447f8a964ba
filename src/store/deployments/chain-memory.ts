import type { ChainIdentity, ChainMemory } from "../../runtime/chain/chain-guard.js";
import { SQL, type Sql } from "../database/database.js";
import type { Deployment } from "./deployments.js";

/**
 * Returns the chain that a deployment was indexed from. If it has no block yet, only the id is known, from other
 * deployments on its network.
 * @throws DatabaseError
 */
export function chainMemory(
  sql: Sql,
  { id, network, head }: Pick<Deployment, "id" | "network" | "head">,
): ChainMemory {
  return {
    recall: async () => (await ownChain(sql, id)) ?? chainOfNetwork(sql, network),
    remember: async ({ chainId, first }) => {
      await sql.query(
        SQL`update graphloom.deployments set chain_id = $2::text, first_block_number = $3::integer, first_block_hash = $4::text
          where id = $1::integer`,
        [String(id), chainId, first ? String(first.number) : null, first?.hash ?? null],
      );
    },
    ...(head && { head }),
  };
}

async function ownChain(sql: Sql, deployment: number): Promise<ChainIdentity | undefined> {
  const [row] = await sql.query(
    SQL`select chain_id, first_block_number, first_block_hash from graphloom.deployments
      where id = $1::integer and chain_id is not null`,
    [String(deployment)],
  );
  if (!row?.chain_id) return undefined;
  const { chain_id: chainId, first_block_number: number, first_block_hash: hash } = row;
  return { chainId, ...(number != null && hash != null && { first: { number: Number(number), hash } }) };
}

async function chainOfNetwork(sql: Sql, network: string): Promise<ChainIdentity | undefined> {
  const rows = await sql.query(
    SQL`select distinct chain_id from graphloom.deployments where network = $1::text and chain_id is not null limit 2`,
    [network],
  );
  const [only, another] = rows;
  return only?.chain_id && !another ? { chainId: only.chain_id } : undefined;
}
