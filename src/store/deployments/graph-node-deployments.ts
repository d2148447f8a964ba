import { cell } from "../database/columns.js";
import { type Database, DatabaseError, SQL, type Sql } from "../database/database.js";

/** PostgreSQL's code for a row that refers to one which is not there. */
const foreignKeyViolation = "23503";

/** What a graph-node was asked for of a deployment, and has done. */
export interface AskedDeployment {
  /** The name that it has there: `graphloom-0f3a…/Qm…`. */
  readonly name: string;
  /** Whether it was paused last; nothing when that is not known. */
  readonly isPaused?: boolean | undefined;
}

/** What a graph-node was asked for of a deployment; nothing before it has taken it. @throws DatabaseError */
export async function findAsked(sql: Sql, deployment: string): Promise<AskedDeployment | undefined> {
  const [row] = await sql.query(
    SQL`select name, is_paused::text as paused from graphloom.graph_node_deployments where deployment = $1::text`,
    [deployment],
  );
  if (!row) return undefined;
  return { name: cell(row, "name"), ...(row.paused != null && { isPaused: row.paused === "true" }) };
}

/** Takes note of what a graph-node has done; nothing when the build is gone by now. @throws DatabaseError */
export async function noteAsked(
  database: Database,
  deployment: string,
  asked: AskedDeployment,
): Promise<void> {
  const { name, isPaused } = asked;
  try {
    await database.query(
      SQL`insert into graphloom.graph_node_deployments (deployment, name, is_paused)
        values ($1::text, $2::text, $3::boolean)
        on conflict (deployment) do update set name = excluded.name, is_paused = excluded.is_paused`,
      [deployment, name, isPaused === undefined ? null : String(isPaused)],
    );
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === foreignKeyViolation)) throw error;
  }
}
