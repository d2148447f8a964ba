import { DatabaseError, SQL, type Sql } from "../database/database.js";

/**
 * The first block as of which the entities of a deployment are kept, when it is after a block: history was cut, or a
 * graft has taken over what its base had.
 * @param deployment its number in the catalog
 * @returns nothing when the entities are there as of the block
 */
export async function keptSince(sql: Sql, deployment: number, block: number): Promise<number | undefined> {
  const [row] = await sql.query(
    SQL`select earliest_block from graphloom.deployments
      where id = $1::integer and earliest_block > $2::integer
        and (earliest_block > start_block or graft_base is not null)`,
    [String(deployment), String(block)],
  );
  return row ? Number(row.earliest_block) : undefined;
}

/**
 * To be called after something was read: what is there then was there before.
 * @throws DatabaseError when entities are not kept as of a block
 */
export async function checkKept(sql: Sql, deployment: number, block: number): Promise<void> {
  const since = await keptSince(sql, deployment, block);
  if (since === undefined) return;
  throw new DatabaseError(`entities are kept only from block ${since}, so block ${block} cannot be read`, {
    hint: `Ask for block ${since} or later. For older blocks, index the subgraph again and keep more history (indexerHints.prune).`,
  });
}
