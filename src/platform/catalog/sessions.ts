import type { Row, Sql } from "../database/database.js";
import { hashOf, randomId, randomToken } from "./hashed.js";
import type { User } from "./users.js";

/** Where somebody is signed in: a browser, by its cookie, or a command line, by its token. */
export type SessionKind = "browser" | "token";

/** A place where somebody is signed in. */
export interface UserSession {
  readonly id: string;
  readonly user: User;
  /** The project that a browser shows, once one was chosen. */
  readonly project?: string;
  readonly lastUsedAt?: Date;
  readonly expiresAt: Date;
}

/** A session that was just begun, with what is sent to be known by; only a hash of it is kept. */
export interface BegunSession {
  readonly id: string;
  /** `glu_…` of a command line, `gls_…` of a browser. */
  readonly token: string;
  readonly expiresAt: Date;
}

const kinds = {
  browser: { prefix: "gls", days: 7 },
  token: { prefix: "glu", days: 30 },
} as const;

/** Whether a text looks like the token of a person, not like a key of a project. */
export function isUserToken(text: string): boolean {
  return text.startsWith(`${kinds.token.prefix}_`);
}

/** Days that a session of a kind lasts. */
export function sessionDays(kind: SessionKind): number {
  return kinds[kind].days;
}

/** Signs somebody in; sessions of theirs that are over are forgotten. @throws DatabaseError */
export async function beginSession(sql: Sql, user: string, kind: SessionKind): Promise<BegunSession> {
  const { prefix, days } = kinds[kind];
  const token = randomToken(prefix);
  const id = randomId("session");
  await sql.query("delete from graphloom.sessions where person = $1::text and expires_at < now()", [user]);
  const [row] = await sql.query(
    `insert into graphloom.sessions (id, person, kind, hash, expires_at)
      values ($1::text, $2::text, $3::text, $4::text, now() + make_interval(days => $5::int))
      returning extract(epoch from expires_at) * 1000 as ends`,
    [id, user, kind, hashOf(token), String(days)],
  );
  return { id, token, expiresAt: new Date(Number(row?.ends)) };
}

/** The session that somebody has sent the token of; nothing for one that is unknown or over. @throws DatabaseError */
export async function findSession(
  sql: Sql,
  token: string,
  kind: SessionKind,
): Promise<UserSession | undefined> {
  const [row] = await sql.query(
    `select s.id, s.person, u.email, u.name, s.project, extract(epoch from s.last_used_at) * 1000 as used,
        extract(epoch from s.expires_at) * 1000 as ends
      from graphloom.sessions s join graphloom.users u on u.id = s.person
      where s.hash = $1::text and s.kind = $2::text and s.expires_at > now()`,
    [hashOf(token), kind],
    { isFixed: true },
  );
  return row && sessionOf(row);
}

/** Remembers that a session was used. @throws DatabaseError */
export async function noteSessionUse(sql: Sql, id: string): Promise<void> {
  await sql.query("update graphloom.sessions set last_used_at = now() where id = $1::text", [id]);
}

/** Has a browser show a project. @throws DatabaseError */
export async function showProject(sql: Sql, id: string, project: string): Promise<void> {
  await sql.query("update graphloom.sessions set project = $2::text where id = $1::text", [id, project]);
}

/** Signs somebody out of one place. @throws DatabaseError */
export async function endSession(sql: Sql, id: string): Promise<void> {
  await sql.query("delete from graphloom.sessions where id = $1::text", [id]);
}

/** Signs somebody out everywhere. @throws DatabaseError */
export async function endSessionsOf(sql: Sql, user: string): Promise<void> {
  await sql.query("delete from graphloom.sessions where person = $1::text", [user]);
}

function sessionOf({ id, person, email, name, project, used, ends }: Row): UserSession {
  return {
    id: id ?? "",
    user: { id: person ?? "", email: email ?? "", name: name ?? "" },
    ...(project != null && { project }),
    ...(used != null && { lastUsedAt: new Date(Number(used)) }),
    expiresAt: new Date(Number(ends)),
  };
}
