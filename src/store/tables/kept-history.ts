import { DatabaseError, SQL, type Sql } from "../database/database.js";

/**
 * Returns the first kept block of a deployment if it is after the given block, because history was pruned or
 * a graft base had less.
 * @param deployment its number in the catalog
 * @returns `undefined` if the entities exist at the block
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
 * Call this after reading: history that is kept now was also kept during the read.
 * @throws DatabaseError if entities are not kept at the block
 */
export async function checkKept(sql: Sql, deployment: number, block: number): Promise<void> {
  const since = await keptSince(sql, deployment, block);
  if (since === undefined) return;
  throw new DatabaseError(`entities are kept only from block ${since}, so block ${block} cannot be read`, {
    hint: `Ask for block ${since} or later. For older blocks, index the subgraph again and keep more history (indexerHints.prune).`,
  });
}
