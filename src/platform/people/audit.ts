import { type Row, SQL, type Sql } from "../../store/database/database.js";

/** Something that somebody did. */
export interface Act {
  /** Nothing for what belongs to no project, as a sign-in. */
  readonly project?: string | undefined;
  /** Who: a key or a user, and what it is called. */
  readonly actor: { readonly id: string; readonly name: string };
  /** `secret.reveal` */
  readonly action: string;
  /** What it was done to: its name, never a secret. */
  readonly subject: string;
  /** The address of the network that it was asked from. */
  readonly address?: string | undefined;
}

/** An act that was noted. */
export interface NotedAct extends Act {
  /** Grows with time. */
  readonly id: bigint;
  readonly at: Date;
}

/** Notes what was done; in the transaction that does it, it is noted exactly when it is done. @throws DatabaseError */
export async function noteAct(sql: Sql, { project, actor, action, subject, address }: Act): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.audit (project, actor, actor_name, action, subject, address)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text)`,
    [project ?? null, actor.id, actor.name, action, subject, address ?? null],
  );
}

/**
 * What was done in a project, newest first.
 * @param page at most `limit` acts, older than the one with the id `before`
 * @throws DatabaseError
 */
export async function listActs(
  sql: Sql,
  project: string,
  page: { readonly before?: bigint | undefined; readonly limit: number },
): Promise<readonly NotedAct[]> {
  const rows = await sql.query(
    SQL`select id, project, extract(epoch from at) * 1000 as at, actor, actor_name, action, subject, address
      from graphloom.audit
      where project = $1::text and ($2::bigint is null or id < $2::bigint) order by id desc limit $3::int`,
    [project, page.before === undefined ? null : String(page.before), String(page.limit)],
  );
  return rows.map(actOf);
}

function actOf(row: Row): NotedAct {
  return {
    id: BigInt(row.id ?? 0),
    at: new Date(Number(row.at)),
    ...(row.project != null && { project: row.project }),
    actor: { id: row.actor ?? "", name: row.actor_name ?? "" },
    action: row.action ?? "",
    subject: row.subject ?? "",
    ...(row.address != null && { address: row.address }),
  };
}
