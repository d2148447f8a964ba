import type { Sql } from "../database/database.js";

/** Whose subgraphs, keys and everything else these are. */
export interface Project {
  /** `project_…`. */
  readonly id: string;
  readonly name: string;
}

/** Adds a project. @throws DatabaseError also when the id is taken */
export async function createProject(sql: Sql, { id, name }: Project): Promise<void> {
  await sql.query("insert into graphloom.projects (id, name) values ($1::text, $2::text)", [id, name]);
}

/** All projects, oldest first. @throws DatabaseError */
export async function listProjects(sql: Sql): Promise<readonly Project[]> {
  const rows = await sql.query("select id, name from graphloom.projects order by created_at, id");
  return rows.map(({ id, name }) => ({ id: id ?? "", name: name ?? "" }));
}
