import { SQL, type Sql } from "../database/database.js";

/** The name of a build that was never deployed. */
export interface RunName {
  readonly name: string;
  /** Absent if its configuration has none. */
  readonly version?: string | undefined;
}

/** Gives a name to a build that is indexed without a server; another build of the network loses it. @throws DatabaseError */
export async function nameRun(
  sql: Sql,
  { name, version = "" }: RunName,
  { network, deployment }: { readonly network: string; readonly deployment: string },
): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.run_names (name, version, network, deployment)
      values ($1::text, $2::text, $3::text, $4::text)
      on conflict (name, version, network) do update set deployment = excluded.deployment`,
    [name, version, network, deployment],
  );
}
