import { columns, oneOf, type RowOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import type { SecretName } from "../secrets/secrets.js";

/**
 * `open`: clients may do everything. `read-only`: they read, unless they ask to write. `closed`: nothing, since the
 * database is far too large.
 */
export const sinkAccesses = ["open", "read-only", "closed"] as const;
export type SinkAccess = (typeof sinkAccesses)[number];

const sinkRow = columns({ project: text, name: text, database: text, state: text });

/** A hosted sink: a database in the cluster for them, and the secret with its credentials. */
export type HostedSinkRow = RowOf<typeof sinkRow>;

/**
 * Records a hosted sink before it is created, so that a failure leaves no unknown parts behind.
 * @param database the name of the database and of its role
 * @returns false if the project already has one with this name
 * @throws DatabaseError
 */
export async function addHostedSink(
  sql: Sql,
  { project, name }: SecretName,
  database: string,
): Promise<boolean> {
  const rows = await sql.query(
    SQL`insert into graphloom.hosted_sinks (project, name, database) values ($1::text, $2::text, $3::text)
      on conflict (project, name) do nothing returning name`,
    [project, name, database],
  );
  return rows.length > 0;
}

/**
 * Records that a hosted sink is complete.
 * @param database its database, since another hosted sink may have the name now
 * @returns false if it was deleted meanwhile
 * @throws DatabaseError
 */
export async function finishHostedSink(
  sql: Sql,
  { project, name }: SecretName,
  database: string,
): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.hosted_sinks set state = 'ready'
      where project = $1::text and name = $2::text and database = $3::text and state = 'creating' returning name`,
    [project, name, database],
  );
  return rows.length > 0;
}

/**
 * Records that a hosted sink is being deleted, so that its creation fails if it is still running. @throws
 * DatabaseError
 */
export async function beginDeletion(sql: Sql, { project, name }: SecretName): Promise<void> {
  await sql.query(
    SQL`update graphloom.hosted_sinks set state = 'deleting' where project = $1::text and name = $2::text`,
    [project, name],
  );
}

/** A hosted sink of a project, locked until the transaction ends. @throws DatabaseError */
export async function findHostedSink(
  sql: Sql,
  { project, name }: SecretName,
): Promise<HostedSinkRow | undefined> {
  const [row] = await sql.query(
    SQL`select ${sinkRow.list} from graphloom.hosted_sinks where project = $1::text and name = $2::text
      for update`,
    [project, name],
  );
  return row && sinkRow.read(row);
}

/** Deletes the row of a hosted sink, after its database. @throws DatabaseError */
export async function deleteHostedSink(
  sql: Sql,
  { project, name }: SecretName,
  database: string,
): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.hosted_sinks
      where project = $1::text and name = $2::text and database = $3::text`,
    [project, name, database],
  );
}

/** All hosted sinks of all projects. @throws DatabaseError */
export async function allSinks(sql: Sql): Promise<readonly HostedSinkRow[]> {
  const rows = await sql.query(SQL`select ${sinkRow.list} from graphloom.hosted_sinks order by database`);
  return rows.map(sinkRow.read);
}

const sizedRow = columns({ database: text, access: oneOf(sinkAccesses) });

/** All hosted databases that are complete, with what clients may do. @throws DatabaseError */
export async function readySinks(sql: Sql): Promise<readonly RowOf<typeof sizedRow>[]> {
  const rows = await sql.query(
    SQL`select ${sizedRow.list} from graphloom.hosted_sinks where state = 'ready' order by database`,
  );
  return rows.map(sizedRow.read);
}

/** Records what clients may do with a hosted database. @throws DatabaseError */
export async function noteAccess(sql: Sql, database: string, access: SinkAccess): Promise<void> {
  await sql.query(SQL`update graphloom.hosted_sinks set access = $2::text where database = $1::text`, [
    database,
    access,
  ]);
}
