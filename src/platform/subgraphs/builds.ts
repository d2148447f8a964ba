import { parseBytes } from "../../store/database/bytea.js";
import { boolean, columns, computed, nullable, type RowOf, text } from "../../store/database/columns.js";
import { type Database, SQL, type Sql } from "../../store/database/database.js";

const build = { deployment: text, network: text, engine: text };
const aimedRow = columns(
  {
    ...build,
    /** Whether a version that shows it is not paused. */
    isActive: computed(SQL`coalesce(bool_or(not v.is_paused), false)`, boolean),
    /** Whether any version shows it; otherwise it can be deleted. */
    isShown: computed(SQL`count(v.version) > 0`, boolean),
    /**
     * The project whose turns it uses: the project of the oldest version that is not paused. Missing if no version
     * shows it.
     */
    project: computed(
      SQL`(array_agg(v.project order by v.is_paused, v.created_at, v.project)
        filter (where v.project is not null))[1]`,
      nullable(text),
    ),
  },
  "b",
);
const namedRow = columns(
  {
    ...build,
    /** `pools/1.0.0`: of several versions, the newest. */
    name: computed(
      SQL`(array_agg(v.name || '/' || v.version order by v.created_at desc, v.project, v.name, v.version))[1]`,
      text,
    ),
    /** Whether all of them are paused. */
    isPaused: computed(SQL`bool_and(v.is_paused)`, boolean),
    /** Whether versions of several projects show it, of all there are. */
    isShared: computed(
      SQL`(select count(distinct o.project) > 1 from graphloom.versions o where o.deployment = b.deployment)`,
      boolean,
    ),
  },
  "b",
);

/** A build that an engine should have, and whether the engine should index it. */
export type AimedBuild = RowOf<typeof aimedRow>;

/** A build that versions show, under a name that people know. */
export type NamedBuild = RowOf<typeof namedRow>;

/** All builds and their desired states, oldest first. @throws DatabaseError */
export async function aimedBuilds(sql: Sql): Promise<readonly AimedBuild[]> {
  const rows = await sql.query(
    SQL`select ${aimedRow.list}
      from graphloom.builds b left join graphloom.versions v using (deployment)
      group by b.deployment order by b.created_at, b.deployment`,
  );
  return rows.map(aimedRow.read);
}

/** The builds that versions of a project show, or of all projects when none is given. @throws DatabaseError */
export async function namedBuilds(sql: Sql, project?: string): Promise<readonly NamedBuild[]> {
  const rows = await sql.query(
    SQL`select ${namedRow.list}
      from graphloom.builds b join graphloom.versions v using (deployment)
      where $1::text is null or v.project = $1::text
      group by b.deployment order by b.created_at, b.deployment`,
    [project ?? null],
  );
  return rows.map(namedRow.read);
}

/** The zip of a build. @throws DatabaseError */
export async function readBundle(sql: Sql, deployment: string): Promise<Uint8Array | undefined> {
  const [row] = await sql.query(SQL`select bundle from graphloom.builds where deployment = $1::text`, [
    deployment,
  ]);
  return row?.bundle == null ? undefined : parseBytes(row.bundle);
}

/** Pauses all versions that show a build. @throws DatabaseError */
export async function pauseBuild(sql: Sql, deployment: string): Promise<void> {
  await sql.query(SQL`update graphloom.versions set is_paused = true where deployment = $1::text`, [
    deployment,
  ]);
}

/**
 * Whether no version shows a build. In a transaction, no version can begin to show it before the transaction ends.
 * @throws DatabaseError
 */
export async function isUnshown(sql: Sql, deployment: string): Promise<boolean> {
  await sql.query(SQL`select from graphloom.builds where deployment = $1::text for update`, [deployment]);
  const rows = await sql.query(SQL`select from graphloom.versions where deployment = $1::text limit 1`, [
    deployment,
  ]);
  return rows.length === 0;
}

/** Deletes a build that no version shows. @returns whether it was deleted @throws DatabaseError */
export async function dropBuild(database: Database, deployment: string): Promise<boolean> {
  return database.transaction(async (sql) => {
    if (!(await isUnshown(sql, deployment))) return false;
    const rows = await sql.query(
      SQL`delete from graphloom.builds where deployment = $1::text returning 1 as one`,
      [deployment],
    );
    return rows.length > 0;
  });
}
