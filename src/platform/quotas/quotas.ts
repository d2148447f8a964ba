import { SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import type { PlatformSettings, Quotas } from "../platform.js";
import { Problem } from "../problem.js";

/** The objects that a quota limits. */
type Counted = "deployments" | "endpoints" | "hostedSinks" | "pipelines" | "webhooks";

const tables: Readonly<Record<Counted, SqlFragment>> = {
  deployments: SQL`graphloom.versions`,
  endpoints: SQL`graphloom.edge_endpoints`,
  hostedSinks: SQL`graphloom.hosted_sinks`,
  pipelines: SQL`graphloom.pipelines`,
  webhooks: SQL`graphloom.webhooks`,
};

/** The quotas of a project by default. Each deployment takes a thread and about 14 MB. */
export const defaultQuotas: Quotas = {
  deployments: 200,
  endpoints: 100,
  fileMegabytes: 10_240,
  hostedSinks: 5,
  hostedSinkMegabytes: 10_240,
  pipelines: 50,
  webhooks: 100,
};

const words: Readonly<Record<Counted, string>> = {
  deployments: "subgraph versions",
  endpoints: "edge endpoints",
  hostedSinks: "hosted sinks",
  pipelines: "pipelines",
  webhooks: "webhooks",
};

/**
 * Checks that a project may have one more of something. The caller adds it in the same transaction.
 * @throws Problem `unprocessable`; DatabaseError
 */
export async function requireRoom(
  sql: Sql,
  { quotas = {} }: Pick<PlatformSettings, "quotas">,
  what: Counted,
  project: string,
): Promise<void> {
  const most = quotas[what] ?? defaultQuotas[what];
  if ((await countOf(sql, what, project)) < most) return;
  throw new Problem(
    "unprocessable",
    `A project on this server can have at most ${most} ${words[what]}. Delete one first. The operator of the server can raise the limit with ${variableOf(what)}.`,
  );
}

/** `GRAPHLOOM_MOST_HOSTED_SINKS` */
function variableOf(what: Counted): string {
  return `GRAPHLOOM_MOST_${what.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/**
 * Counts a project's objects. Other transactions wait with their counts until this one ends, so that they include its
 * additions.
 * @throws DatabaseError
 */
async function countOf(sql: Sql, what: Counted, project: string): Promise<number> {
  await sql.query(SQL`select pg_advisory_xact_lock(hashtextextended($1::text, 1))`, [
    `${what} of ${project}`,
  ]);
  const [row] = await sql.query(SQL`select count(*) as count from ${tables[what]} where project = $1::text`, [
    project,
  ]);
  return Number(row?.count);
}
