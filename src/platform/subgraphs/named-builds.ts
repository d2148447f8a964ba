import { cell, columns, type RowOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { entries } from "./versions.js";

const namedRow = columns(
  {
    /** Empty for builds that `graphloom run` has indexed. */
    project: text,
    name: text,
    /** A version, or a tag. */
    version: text,
    /** The IPFS hash of the manifest. */
    deployment: text,
    /** Which engine runs it. */
    engine: text,
  },
  "e",
);

/** A build under a name that people have given it. */
export type NamedBuild = RowOf<typeof namedRow>;

/**
 * Versions, tags, and builds that `graphloom run` has indexed. Such builds belong to no project and may have no
 * version.
 */
const allEntries = SQL`(
  select project, name, version, deployment, engine from ${entries}
  union all
  select '', name, version, deployment, 'embedded' from graphloom.run_names) e`;

/**
 * The versions and tags of a subgraph in all projects, and builds that `graphloom run` has indexed.
 * @throws DatabaseError
 */
export async function buildsNamed(sql: Sql, name: string): Promise<readonly NamedBuild[]> {
  const rows = await sql.query(
    SQL`select ${namedRow.list} from ${allEntries} where name = $1::text order by version collate "C", project collate "C"`,
    [name],
  );
  return rows.map(namedRow.read);
}

/**
 * The names of all subgraphs in all projects, and of subgraphs that `graphloom run` has indexed. @throws
 * DatabaseError
 */
export async function subgraphNames(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select name from graphloom.versions union select name from graphloom.run_names order by name`,
  );
  return rows.map((row) => cell(row, "name"));
}

/** The versions and tags of a subgraph in a project. @throws DatabaseError */
export async function buildsOf(sql: Sql, project: string, name: string): Promise<readonly NamedBuild[]> {
  const rows = await sql.query(
    SQL`select ${namedRow.list} from ${entries} where project = $1::text and name = $2::text order by version collate "C"`,
    [project, name],
  );
  return rows.map(namedRow.read);
}

/** The versions and tags of a project whose entities are in this database. @throws DatabaseError */
export async function readableBuildsOf(sql: Sql, project: string): Promise<readonly NamedBuild[]> {
  const rows = await sql.query(
    SQL`select ${namedRow.list} from ${entries} where project = $1::text and engine = 'embedded'
      order by name collate "C", version collate "C"`,
    [project],
  );
  return rows.map(namedRow.read);
}

/** The names of the subgraphs of a project. @throws DatabaseError */
export async function subgraphNamesOf(sql: Sql, project: string): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select distinct name from graphloom.versions where project = $1::text order by name`,
    [project],
  );
  return rows.map((row) => cell(row, "name"));
}

/** Whether a version of a project shows a build. @throws DatabaseError */
export async function showsBuild(sql: Sql, project: string, deployment: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select name from graphloom.versions where project = $1::text and deployment = $2::text limit 1`,
    [project, deployment],
  );
  return rows.length > 0;
}

/** Whether a build must not be indexed now because all its versions are paused. @throws DatabaseError */
export async function isPausedBuild(sql: Sql, deployment: string): Promise<boolean> {
  const [row] = await sql.query(
    SQL`select coalesce(bool_and(is_paused), false) as paused from graphloom.versions where deployment = $1::text`,
    [deployment],
  );
  return row?.paused === "t";
}
