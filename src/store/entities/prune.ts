import type { Sql } from "../database/database.js";
import { current, type EntityTable } from "./entity-table.js";

/** So much more than the history that is asked for has to be there before it is cut, so that it is not for every block. */
const slack = 1.2;

/**
 * Removes versions that ended before the history that is to be kept, in the transaction of the blocks that are written:
 * the first block that can be asked for moves with it. Immutable entities stay: they are valid for ever.
 * @param historyBlocks how many blocks before the head are kept
 */
export async function prune(
  sql: Sql,
  deployment: number,
  tables: Iterable<EntityTable>,
  historyBlocks: number,
): Promise<void> {
  const [row] = await sql.query(
    `update graphloom.deployments set earliest_block = head_number - $2::integer
      where id = $1::integer and head_number - earliest_block > $2::integer * ${slack}
      returning earliest_block`,
    [String(deployment), String(historyBlocks)],
  );
  if (row?.earliest_block == null) return;
  // As the index of ended versions has it.
  const end = `coalesce(upper(block_range), ${current})`;
  for (const { name, layout } of tables) {
    if (layout.immutable) continue;
    await sql.query(`delete from ${name} where ${end} <= $1::integer and ${end} < ${current}`, [
      row.earliest_block,
    ]);
  }
}
