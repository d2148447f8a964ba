import {
  columns,
  computed,
  oneOf,
  optional,
  type RowOf,
  text,
  time,
} from "../../../store/database/columns.js";
import { type Row, SQL, type Sql } from "../../../store/database/database.js";
import { hashOf, randomId, randomToken } from "../../sealing/hashed.js";
import type { User } from "../users.js";

/** The kind of a session: a browser with its cookie, or a command line with its token. */
export type SessionKind = "browser" | "token";

/** The columns of every session. */
const session = { id: text, lastUsedAt: optional(time), expiresAt: time };
const userRow = columns(
  {
    ...session,
    /** The project that a browser shows, once a person has chosen one. */
    project: optional(text),
    person: text,
    email: computed(SQL`u.email`, text),
    name: computed(SQL`u.name`, text),
  },
  "s",
);
const keyRow = columns({
  ...session,
  /** Id of the key. */
  apiKey: text,
});
const listedRow = columns({
  ...session,
  kind: oneOf(["browser", "token"]),
  createdAt: time,
  /** Network address of the sign-in, if known. */
  address: optional(text),
});
const begunRow = columns({ expiresAt: time });

/** A session of a person with an account. */
export interface UserSession
  extends Omit<RowOf<typeof userRow>, keyof User | "person">,
    Pick<RowOf<typeof userRow>, "id"> {
  readonly user: User;
}

/** The session of a browser that signed in with a key. The key may have been revoked since. */
export type KeySession = RowOf<typeof keyRow>;

/** A session as shown to its owner. */
export type ListedSession = RowOf<typeof listedRow>;

/** A new session, with the token that identifies it; only a hash of the token is stored. */
export interface BegunSession {
  readonly id: string;
  /** `glu_…` for a command line, `gls_…` for a browser. */
  readonly token: string;
  readonly expiresAt: Date;
}

const kinds = {
  browser: { prefix: "gls", days: 7 },
  token: { prefix: "glu", days: 30 },
} as const;

/** Whether a string looks like the token of a person rather than a key of a project. */
export function isUserToken(text: string): boolean {
  return text.startsWith(`${kinds.token.prefix}_`);
}

/** Days that a session of a kind lasts. */
export function sessionDays(kind: SessionKind): number {
  return kinds[kind].days;
}

/**
 * Signs a person in.
 * @param address network address of the request
 * @throws DatabaseError
 */
export function beginSession(
  sql: Sql,
  user: string,
  kind: SessionKind,
  address?: string,
): Promise<BegunSession> {
  return begin(sql, { person: user, apiKey: null }, kind, address);
}

/** Signs a browser in with a key. @param key its id @param address network address @throws DatabaseError */
export function beginKeySession(sql: Sql, key: string, address?: string): Promise<BegunSession> {
  return begin(sql, { person: null, apiKey: key }, "browser", address);
}

async function begin(
  sql: Sql,
  { person, apiKey }: { readonly person: string | null; readonly apiKey: string | null },
  kind: SessionKind,
  address: string | undefined,
): Promise<BegunSession> {
  const { prefix, days } = kinds[kind];
  const token = randomToken(prefix);
  const id = randomId("session");
  // Expired sessions are no longer needed.
  await sql.query(SQL`delete from graphloom.sessions where expires_at < now()`);
  const [row] = await sql.query(
    SQL`insert into graphloom.sessions (id, person, api_key, kind, hash, address, expires_at)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, now() + make_interval(days => $7::int))
      returning ${begunRow.list}`,
    [id, person, apiKey, kind, hashOf(token), address ?? null, String(days)],
  );
  return { id, token, ...begunRow.read(row ?? {}) };
}

/**
 * Finds the command line session of a token; `undefined` if it is unknown or has expired. @throws
 * DatabaseError
 */
export async function findTokenSession(sql: Sql, token: string): Promise<UserSession | undefined> {
  const row = await find(sql, token, "token");
  return row && userSessionOf(row);
}

/**
 * Finds the browser session of a cookie; `undefined` if it is unknown or has expired. @throws DatabaseError
 */
export async function findBrowserSession(
  sql: Sql,
  token: string,
): Promise<UserSession | KeySession | undefined> {
  const row = await find(sql, token, "browser");
  if (row?.api_key == null) return row && userSessionOf(row);
  return keyRow.read(row);
}

async function find(sql: Sql, token: string, kind: SessionKind): Promise<Row | undefined> {
  const [row] = await sql.query(
    SQL`select ${userRow.list}, s.api_key
      from graphloom.sessions s left join graphloom.users u on u.id = s.person
      where s.hash = $1::text and s.kind = $2::text and s.expires_at > now()`,
    [hashOf(token), kind],
    { isFixed: true },
  );
  return row;
}

/** The sessions of a person, the latest first. @throws DatabaseError */
export async function listSessions(sql: Sql, user: string): Promise<readonly ListedSession[]> {
  const rows = await sql.query(
    SQL`select ${listedRow.list}
      from graphloom.sessions where person = $1::text and expires_at > now() order by created_at desc, id`,
    [user],
  );
  return rows.map(listedRow.read);
}

/** Keeps a session from being ended until the transaction ends. @returns whether it exists @throws DatabaseError */
export async function keepSession(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.query(SQL`select id from graphloom.sessions where id = $1::text for key share`, [
    id,
  ]);
  return rows.length > 0;
}

/** Records that a session was used. @throws DatabaseError */
export async function noteSessionUse(sql: Sql, id: string): Promise<void> {
  await sql.query(SQL`update graphloom.sessions set last_used_at = now() where id = $1::text`, [id]);
}

/** Sets the project that a browser shows. @throws DatabaseError */
export async function showProject(sql: Sql, id: string, project: string): Promise<void> {
  await sql.query(SQL`update graphloom.sessions set project = $2::text where id = $1::text`, [id, project]);
}

/** Ends a session. @returns the id of its person, if it has one @throws DatabaseError */
export async function endSession(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql.query(SQL`delete from graphloom.sessions where id = $1::text returning person`, [
    id,
  ]);
  return row?.person ?? undefined;
}

/** Ends a session of a person. @returns whether it existed @throws DatabaseError */
export async function endSessionOf(sql: Sql, user: string, id: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`delete from graphloom.sessions where person = $1::text and id = $2::text returning id`,
    [user, id],
  );
  return rows.length > 0;
}

/** Ends all sessions of a person. @throws DatabaseError */
export async function endSessionsOf(sql: Sql, user: string): Promise<void> {
  await sql.query(SQL`delete from graphloom.sessions where person = $1::text`, [user]);
}

function userSessionOf(row: Row): UserSession {
  const { person, email, name, ...rest } = userRow.read(row);
  return { ...rest, user: { id: person, email, name } };
}
