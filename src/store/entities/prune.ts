import { SQL, type Sql } from "../database/database.js";
import { moveEarliestBlock } from "../deployments/head.js";
import type { EntityTable } from "./entity-table.js";

/**
 * Deletes versions that ended before the kept history, in the transaction that writes the blocks. The earliest
 * queryable block moves with it. Immutable entities stay, because they never end.
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
