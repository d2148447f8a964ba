import { SQL, type Sql, type SqlFragment } from "../database/database.js";
import type { EntityTable } from "./layout.js";
import { versionColumn, versionsSql } from "./versions-sql.js";

/** A table whose rows are versions. */
export interface VersionedTable {
  readonly name: SqlFragment;
  readonly layout: Pick<EntityTable, "immutable">;
}

/**
 * Deletes the versions that began after a block, and makes those current again that ended after it.
 * @throws DatabaseError
 */
export async function revertVersions(
  sql: Sql,
  { name, layout }: VersionedTable,
  last: number,
): Promise<void> {
  const parameters = [String(last)];
  const { begins, hasEnded, valid } = versionsSql(layout);
  await sql.query(SQL`delete from ${name} where ${begins} > $1::integer`, parameters);
  if (layout.immutable) return;
  await sql.query(
    SQL`update ${name} set ${versionColumn(layout).name} = ${valid(begins)} where ${hasEnded(SQL`> $1::integer`)}`,
    parameters,
  );
}
