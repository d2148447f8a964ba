import { SQL, type Sql } from "../../store/database/database.js";

/** Whether a version of a project shows a deployment. @throws DatabaseError */
export async function isShownBy(sql: Sql, project: string, deployment: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.versions where project = $1::text and deployment = $2::text limit 1`,
    [project, deployment],
  );
  return rows.length > 0;
}

/** Whether one project shows both deployments. @throws DatabaseError */
export async function areShownTogether(sql: Sql, one: string, other: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.versions a join graphloom.versions b using (project)
      where a.deployment = $1::text and b.deployment = $2::text limit 1`,
    [one, other],
  );
  return rows.length > 0;
}
