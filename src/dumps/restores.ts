import { type Database, SQL, type Sql } from "../store/database/database.js";
import { quoteName } from "../store/database/quote.js";

/** How long a restore stays without another row, so that it can be continued. */
const keptFor = SQL`interval '7 days'`;

/**
 * Drops restores that were interrupted and not continued for a week, with their tables.
 * @returns their deployments
 * @throws DatabaseError
 */
export async function dropAbandoned(database: Database): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (;;) {
    // One that is at work holds its row.
    const found = await database.transaction(async (sql) => {
      const [row] = await sql.query(
        SQL`select deployment, id from graphloom.restores where created_at < now() - ${keptFor}
          order by deployment limit 1 for update skip locked`,
      );
      if (row?.deployment == null) return undefined;
      await dropRestore(sql, row.deployment, Number(row.id));
      return row.deployment;
    });
    if (found === undefined) return dropped;
    dropped.push(found);
  }
}

/** A restore that is not complete. Its tables are in the schema `sgd<id>`. */
export interface Restore {
  readonly deployment: string;
  /** The number that was reserved for the deployment. */
  readonly id: number;
  /** A hash of what the folder says. */
  readonly folder: string;
  /** Missing if a command restores into the database itself. */
  readonly owner?: RestoreOwner | undefined;
}

/** The project that restores over a server. */
export interface RestoreOwner {
  readonly project: string;
  /** What is restored, as it was sent: JSON. */
  readonly texts: string;
}

/** Adds a restore. @throws DatabaseError if there is one of the deployment */
export async function addRestore(sql: Sql, { deployment, id, folder, owner }: Restore): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.restores (deployment, id, folder, project, texts)
      values ($1::text, $2::integer, $3::text, $4::text, $5::text)`,
    [deployment, String(id), folder, owner?.project ?? null, owner?.texts ?? null],
  );
}

/** Finds the restore of a project. @throws DatabaseError */
export async function findRestore(
  sql: Sql,
  project: string,
  deployment: string,
): Promise<{ readonly id: number; readonly folder: string; readonly texts: string } | undefined> {
  const [row] = await sql.query(
    SQL`select id, folder, texts from graphloom.restores where deployment = $1::text and project = $2::text`,
    [deployment, project],
  );
  if (row?.folder == null || row.texts == null) return undefined;
  return { id: Number(row.id), folder: row.folder, texts: row.texts };
}

/** Removes a restore whose tables become those of a deployment. @returns whether it was there @throws DatabaseError */
export async function endRestore(
  sql: Sql,
  { deployment, id }: Pick<Restore, "deployment" | "id">,
): Promise<boolean> {
  const gone = await sql.query(
    SQL`delete from graphloom.restores where deployment = $1::text and id = $2::integer returning id`,
    [deployment, String(id)],
  );
  return gone.length > 0;
}

/** Drops a restore with its tables. @param id the number that was reserved for the deployment @throws DatabaseError */
export async function dropRestore(sql: Sql, deployment: string, id: number): Promise<void> {
  await sql.run(SQL`drop schema if exists ${quoteName(`sgd${id}`)} cascade`);
  await sql.query(SQL`delete from graphloom.restores where deployment = $1::text`, [deployment]);
}

/**
 * Locks a restore until the end of the transaction, in which it comes further, and so stays for another week.
 * @returns whether it is still there
 * @throws DatabaseError
 */
export async function holdRestore(sql: Sql, deployment: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.restores set created_at = now() where deployment = $1::text returning id`,
    [deployment],
  );
  return rows.length > 0;
}
