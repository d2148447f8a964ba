import { SQL, type Sql, type SqlFragment } from "../../store/database/database.js";

/** What a project can have so many of. */
export type Counted = "deployments" | "endpoints" | "webhooks";

const tables: Readonly<Record<Counted, SqlFragment>> = {
  deployments: SQL`graphloom.versions`,
  endpoints: SQL`graphloom.edge_endpoints`,
  webhooks: SQL`graphloom.webhooks`,
};

/**
 * How many of something a project has. Until the transaction ends nobody else is told, so that what is added in it is
 * counted by the next.
 * @throws DatabaseError
 */
export async function countOf(sql: Sql, what: Counted, project: string): Promise<number> {
  await sql.query(SQL`select pg_advisory_xact_lock(hashtextextended($1::text, 1))`, [
    `${what} of ${project}`,
  ]);
  const [row] = await sql.query(SQL`select count(*) as count from ${tables[what]} where project = $1::text`, [
    project,
  ]);
  return Number(row?.count);
}
