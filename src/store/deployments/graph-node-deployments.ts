import { cell } from "../database/columns.js";
import { type Database, DatabaseError, SQL, type Sql } from "../database/database.js";

/** PostgreSQL's code for a violated foreign key. */
const foreignKeyViolation = "23503";

/** The last request for a deployment that a graph-node fulfilled. */
export interface AskedDeployment {
  /** Its name there: `graphloom-0f3a…/Qm…`. */
  readonly name: string;
  /** Whether it was last paused; missing if unknown. */
  readonly isPaused?: boolean | undefined;
}

/** The last fulfilled request for a deployment; nothing before graph-node has accepted it. @throws DatabaseError */
export async function findAsked(sql: Sql, deployment: string): Promise<AskedDeployment | undefined> {
  const [row] = await sql.query(
    SQL`select name, is_paused::text as paused from graphloom.graph_node_deployments where deployment = $1::text`,
    [deployment],
  );
  if (!row) return undefined;
  return { name: cell(row, "name"), ...(row.paused != null && { isPaused: row.paused === "true" }) };
}

/** Records a fulfilled request; does nothing if the build is gone. @throws DatabaseError */
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

/**
 * Forgets whether a deployment was last paused or resumed here, so that the next request overrides what an operator has
 * done at graph-node. @throws DatabaseError
 */
export async function forgetAskedPause(sql: Sql, deployment: string): Promise<void> {
  await sql.query(
    SQL`update graphloom.graph_node_deployments set is_paused = null where deployment = $1::text`,
    [deployment],
  );
}
