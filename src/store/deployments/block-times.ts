import { cell } from "../database/columns.js";
import { SQL, type Sql } from "../database/database.js";
import { plainArrayText } from "../database/sql-array.js";

/**
 * The times of a deployment's blocks, in seconds since 1970, by number. Only recently written blocks are known.
 * @param deployment its number in the catalog
 * @throws DatabaseError
 */
export async function readBlockTimes(
  sql: Sql,
  deployment: number,
  blocks: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.query(
    SQL`select number, timestamp from graphloom.recent_blocks
      where deployment = $1::integer and number = any($2::integer[]) and timestamp is not null`,
    [String(deployment), plainArrayText(blocks)],
  );
  return new Map(rows.map((row) => [Number(cell(row, "number")), Number(cell(row, "timestamp"))]));
}
