import { columns, type RowOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";

const projectRow = columns({
  /** `project_…`. */
  id: text,
  name: text,
});

/** The owner of subgraphs, keys and everything else. */
export type Project = RowOf<typeof projectRow>;

/** Adds a project. @throws DatabaseError also when the id is taken */
export async function createProject(sql: Sql, { id, name }: Project): Promise<void> {
  await sql.query(SQL`insert into graphloom.projects (id, name) values ($1::text, $2::text)`, [id, name]);
}

/** All projects, oldest first. @throws DatabaseError */
export async function listProjects(sql: Sql): Promise<readonly Project[]> {
  const rows = await sql.query(
    SQL`select ${projectRow.list} from graphloom.projects order by created_at, id`,
  );
  return rows.map(projectRow.read);
}

/** A project by its id. @throws DatabaseError */
export async function findProject(sql: Sql, id: string): Promise<Project | undefined> {
  const [row] = await sql.query(SQL`select ${projectRow.list} from graphloom.projects where id = $1::text`, [
    id,
  ]);
  return row && projectRow.read(row);
}

/** Renames a project. @returns whether it exists @throws DatabaseError */
export async function renameProject(sql: Sql, { id, name }: Project): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.projects set name = $2::text where id = $1::text returning id`,
    [id, name],
  );
  return rows.length > 0;
}

/**
 * Makes other changes of a project's members or keys wait until the transaction ends, so that the rows it has read
 * stay valid.
 * @throws DatabaseError
 */
export async function holdProject(sql: Sql, id: string): Promise<void> {
  await sql.query(SQL`select id from graphloom.projects where id = $1::text for no key update`, [id]);
}
