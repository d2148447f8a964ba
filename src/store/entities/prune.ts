import { SQL, type Sql } from "../database/database.js";
import { moveEarliestBlock } from "../deployments/head.js";
import type { EntityTable } from "./entity-table.js";

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
  const earliest = await moveEarliestBlock(sql, deployment, historyBlocks);
  if (earliest === undefined) return;
  for (const { name, layout, versions } of tables) {
    if (layout.immutable) continue;
    await sql.query(SQL`delete from ${name} where ${versions.hasEnded(SQL`<= $1::integer`)}`, [
      String(earliest),
    ]);
  }
}
