import { DatabaseError, type Sql } from "../database/database.js";

/** What a graph-node was asked for of a deployment, and has done. */
export interface AskedDeployment {
  /** The name that it has there: `graphloom-0f3a…/Qm…`. */
  readonly name: string;
  /** Whether it was paused last; nothing when that is not known. */
  readonly isPaused?: boolean | undefined;
}

/** What tells this server, with all that share its database, from others. @throws DatabaseError */
export async function readServerId(sql: Sql): Promise<string> {
  const [row] = await sql.query("select id from graphloom.server");
  if (row?.id != null) return row.id;
  throw new DatabaseError("the database does not know its server yet");
}

/** What a graph-node was asked for of a deployment; nothing before it has taken it. @throws DatabaseError */
export async function findAsked(sql: Sql, deployment: string): Promise<AskedDeployment | undefined> {
  const [row] = await sql.query(
    "select name, is_paused::text as paused from graphloom.graph_node_deployments where deployment = $1::text",
    [deployment],
  );
  if (!row) return undefined;
  return { name: row.name ?? "", ...(row.paused != null && { isPaused: row.paused === "true" }) };
}

/** Takes note of what a graph-node has done; nothing when the build is gone by now. @throws DatabaseError */
export async function noteAsked(sql: Sql, deployment: string, asked: AskedDeployment): Promise<void> {
  const { name, isPaused } = asked;
  await sql.query(
    `insert into graphloom.graph_node_deployments (deployment, name, is_paused)
      select deployment, $2::text, $3::boolean from graphloom.builds where deployment = $1::text
      on conflict (deployment) do update set name = excluded.name, is_paused = excluded.is_paused`,
    [deployment, name, isPaused === undefined ? null : String(isPaused)],
  );
}
