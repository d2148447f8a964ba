import { bigInteger, columns, optional, text, time } from "../../store/database/columns.js";
import { type Row, SQL, type Sql } from "../../store/database/database.js";

/** An action that a person or a key performed. */
export interface Act {
  /** `undefined` for actions outside projects, such as signing in. */
  readonly project?: string | undefined;
  /** A key or a user, with its name. */
  readonly actor: { readonly id: string; readonly name: string };
  /** `secret.reveal` */
  readonly action: string;
  /** The name of the changed object; never a secret. */
  readonly subject: string;
  /** The network address of the request. */
  readonly address?: string | undefined;
}

/** An action in the audit log. */
export interface NotedAct extends Act {
  /** Increases over time. */
  readonly id: bigint;
  readonly at: Date;
}

const actRow = columns({
  id: bigInteger,
  at: time,
  project: optional(text),
  actor: text,
  actorName: text,
  action: text,
  subject: text,
  address: optional(text),
});

/** Records an action; in the transaction of the action, both happen or neither does. @throws DatabaseError */
export async function noteAct(sql: Sql, { project, actor, action, subject, address }: Act): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.audit (project, actor, actor_name, action, subject, address)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text)`,
    [project ?? null, actor.id, actor.name, action, subject, address ?? null],
  );
}

/** Which actions to list. Absent fields allow any. */
export interface ActFilter {
  /** The id of a key or a user, or a part of the name that they had then. */
  readonly by?: string | undefined;
  /** `secret.reveal`, or `secret` for all actions of this kind. */
  readonly action?: string | undefined;
  /** A part of the name of the changed object. */
  readonly subject?: string | undefined;
  /** Not before this time, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Before this time, in milliseconds since 1970. */
  readonly to?: number | undefined;
}

/** At most `limit` actions, older than the one with the id `before`. */
export interface ActPage {
  readonly before?: bigint | undefined;
  readonly limit: number;
}

/**
 * The actions in a project, newest first. Letters match in either case.
 * @throws DatabaseError
 */
export async function listActs(
  sql: Sql,
  project: string,
  page: ActPage,
  { by, action, subject, from, to }: ActFilter = {},
): Promise<readonly NotedAct[]> {
  const rows = await sql.query(
    SQL`select ${actRow.list}
      from graphloom.audit
      where project = $1::text and ($2::bigint is null or id < $2::bigint)
        and ($4::text is null or actor = $4::text or strpos(lower(actor_name), lower($4::text)) > 0)
        and ($5::text is null or action = $5::text or starts_with(action, $5::text || '.'))
        and ($6::text is null or strpos(lower(subject), lower($6::text)) > 0)
        and ($7::float8 is null or at >= to_timestamp($7::float8 / 1000))
        and ($8::float8 is null or at < to_timestamp($8::float8 / 1000))
      order by id desc limit $3::int`,
    [
      project,
      page.before === undefined ? null : String(page.before),
      String(page.limit),
      ...[by, action, subject, from?.toString(), to?.toString()].map((each) => each ?? null),
    ],
  );
  return rows.map(actOf);
}

/** What a person did outside of projects, such as signing in, newest first. @throws DatabaseError */
export async function listOwnActs(sql: Sql, person: string, limit: number): Promise<readonly NotedAct[]> {
  const rows = await sql.query(
    SQL`select ${actRow.list} from graphloom.audit
      where project is null and actor = $1::text order by id desc limit $2::int`,
    [person, String(limit)],
  );
  return rows.map(actOf);
}

function actOf(row: Row): NotedAct {
  const { actor: id, actorName: name, ...act } = actRow.read(row);
  return { ...act, actor: { id, name } };
}
