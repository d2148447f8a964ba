import { SQL, type Sql, type SqlFragment } from "../../store/database/database.js";

/** What a quota limits. */
export type Counted = "deployments" | "endpoints" | "hostedSinks" | "pipelines" | "webhooks";

const tables: Readonly<Record<Counted, SqlFragment>> = {
  deployments: SQL`graphloom.versions`,
  endpoints: SQL`graphloom.edge_endpoints`,
  hostedSinks: SQL`graphloom.hosted_sinks`,
  pipelines: SQL`graphloom.pipelines`,
  webhooks: SQL`graphloom.webhooks`,
};

/**
 * Counts what a project has. Other transactions wait with their counts until this one ends, so that they include what
 * it adds.
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
