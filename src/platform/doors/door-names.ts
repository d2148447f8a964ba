import { randomBytes } from "node:crypto";
import { columns, type RowOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";

const nameRow = columns({
  project: text,
  /** As tools write it: `org/pools`. */
  name: text,
  /** The subgraph of the project that it stands for. */
  subgraph: text,
  id: text,
});

/** A name that graph-node's tools know, and the subgraph that it stands for. */
export type DoorName = RowOf<typeof nameRow>;

/** The most names that a project can create. */
const mostNames = 1_000;

/**
 * Creates or finds a name. A valid subgraph name stands for that subgraph, and any other name for a subgraph with a
 * similar, unused name. Call it in a transaction.
 * @returns the name, and whether it is new
 * @throws Problem `unprocessable` if there are too many names; DatabaseError
 */
export async function createName(
  sql: Sql,
  project: string,
  name: string,
): Promise<DoorName & { readonly isNew: boolean }> {
  await sql.query(SQL`select pg_advisory_xact_lock(hashtextextended($1::text, 0))`, [
    `door names of ${project}`,
  ]);
  const known = await findName(sql, project, name);
  if (known) return { ...known, isNew: false };
  const [count] = await sql.query(
    SQL`select count(*) as count from graphloom.door_names where project = $1::text`,
    [project],
  );
  if (Number(count?.count) >= mostNames) {
    throw new Problem(
      "unprocessable",
      `A project can have at most ${mostNames.toLocaleString("en")} names. Remove one first`,
    );
  }
  const subgraph = await freeSubgraph(sql, project, name);
  const id = randomBytes(16).toString("hex");
  await sql.query(
    SQL`insert into graphloom.door_names (project, name, subgraph, id)
      values ($1::text, $2::text, $3::text, $4::text)`,
    [project, name, subgraph, id],
  );
  return { project, name, subgraph, id, isNew: true };
}

/**
 * The subgraph that a name stands for in a project. A subgraph with just that name needs no creation.
 * @returns undefined if the name was not created @throws DatabaseError
 */
export async function subgraphOf(sql: Sql, project: string, name: string): Promise<string | undefined> {
  const known = await findName(sql, project, name);
  if (known) return known.subgraph;
  const isTaken = await isStoodFor(sql, project, name);
  return !isTaken && (await hasVersions(sql, project, name)) ? name : undefined;
}

/** The meaning of a name in each project that has created it, oldest project first. @throws DatabaseError */
export async function namesOf(sql: Sql, name: string): Promise<readonly DoorName[]> {
  const rows = await sql.query(
    SQL`select ${nameRow.list} from (select n.*, p.created_at as project_created
        from graphloom.door_names n join graphloom.projects p on p.id = n.project where n.name = $1::text) n
      order by project_created, project`,
    [name],
    { isFixed: true },
  );
  return rows.map(nameRow.read);
}

/** Deletes a name. @throws DatabaseError */
export async function deleteName(sql: Sql, project: string, name: string): Promise<void> {
  await sql.query(SQL`delete from graphloom.door_names where project = $1::text and name = $2::text`, [
    project,
    name,
  ]);
}

async function findName(sql: Sql, project: string, name: string): Promise<DoorName | undefined> {
  const [row] = await sql.query(
    SQL`select ${nameRow.list} from graphloom.door_names where project = $1::text and name = $2::text`,
    [project, name],
    { isFixed: true },
  );
  return row && nameRow.read(row);
}

async function freeSubgraph(sql: Sql, project: string, name: string): Promise<string> {
  const plain = name.replaceAll("/", "-");
  const wanted = /^[a-z]/i.test(plain) ? plain : `subgraph-${plain}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? wanted : `${wanted}-${number}`;
    if (await isStoodFor(sql, project, candidate)) continue;
    // A name without a slash refers to the subgraph with this name, however it was deployed.
    if (candidate === name || !(await hasVersions(sql, project, candidate))) return candidate;
  }
}

/** Whether a name stands for a subgraph. */
async function isStoodFor(sql: Sql, project: string, subgraph: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.door_names where project = $1::text and subgraph = $2::text`,
    [project, subgraph],
  );
  return rows.length > 0;
}

async function hasVersions(sql: Sql, project: string, subgraph: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.versions where project = $1::text and name = $2::text limit 1`,
    [project, subgraph],
  );
  return rows.length > 0;
}
