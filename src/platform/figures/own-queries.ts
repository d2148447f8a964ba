import { boolean, columns, computed, text, time } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";

const ownRow = columns(
  {
    deployment: text,
    since: computed(SQL`min(v.created_at)`, time),
    /** Whether the project brought the build. */
    isFirst: computed(SQL`min(v.created_at) <= b.created_at`, boolean),
  },
  "b",
);

/**
 * The time from which the counted queries of deployments come from one project alone. Queries are counted for a
 * deployment, and other projects may have the same build.
 * @param deployment only this one; by default, all deployments of the project
 * @returns by deployment, in milliseconds since 1970: 0 where the project brought the build, otherwise the time of
 *   its oldest version with it; no entry for deployments that other projects have too
 * @throws DatabaseError
 */
export async function ownQueriesSince(
  sql: Sql,
  project: string,
  deployment?: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query(
    SQL`select ${ownRow.list} from graphloom.builds b join graphloom.versions v using (deployment)
      where exists (select from graphloom.versions o where o.deployment = b.deployment and o.project = $1::text)
        and ($2::text is null or b.deployment = $2::text)
      group by b.deployment having count(distinct v.project) = 1`,
    [project, deployment ?? null],
  );
  return new Map(
    rows.map((row) => {
      const { deployment, since, isFirst } = ownRow.read(row);
      return [deployment, isFirst ? 0 : since.getTime()];
    }),
  );
}
