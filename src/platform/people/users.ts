import { columns, optional, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";

/** Somebody with an account. */
export interface User {
  /** `user_…`. */
  readonly id: string;
  /** In small letters; no two have the same. */
  readonly email: string;
  readonly name: string;
}

/** Who somebody is at a provider of OpenID Connect. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** What an account is read by. */
export const userRow = columns({ id: text, email: text, name: text });
const signInRow = columns({ id: text, email: text, name: text, passwordHash: optional(text) });

/**
 * Adds somebody.
 * @param secret what a password is kept as; nothing for those who sign in elsewhere
 * @returns whether the address was not taken yet
 * @throws DatabaseError
 */
export async function addUser(
  sql: Sql,
  { id, email, name }: User,
  { passwordHash, oidc }: { readonly passwordHash?: string; readonly oidc?: OidcIdentity },
): Promise<boolean> {
  const rows = await sql.query(
    SQL`insert into graphloom.users (id, email, name, password_hash, oidc_issuer, oidc_subject)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text) on conflict (email) do nothing returning id`,
    [id, email, name, passwordHash ?? null, oidc?.issuer ?? null, oidc?.subject ?? null],
  );
  return rows.length > 0;
}

/** Somebody by their id. @throws DatabaseError */
export async function findUser(sql: Sql, id: string): Promise<User | undefined> {
  const [row] = await sql.query(SQL`select ${userRow.list} from graphloom.users where id = $1::text`, [id]);
  return row && userRow.read(row);
}

/** Somebody by their address, with what their password is kept as. @throws DatabaseError */
export async function findUserByEmail(
  sql: Sql,
  email: string,
): Promise<(User & { readonly passwordHash?: string }) | undefined> {
  const [row] = await sql.query(SQL`select ${signInRow.list} from graphloom.users where email = $1::text`, [
    email,
  ]);
  return row && signInRow.read(row);
}

/** Somebody by who they are at a provider. @throws DatabaseError */
export async function findUserByOidc(sql: Sql, { issuer, subject }: OidcIdentity): Promise<User | undefined> {
  const [row] = await sql.query(
    SQL`select ${userRow.list} from graphloom.users where oidc_issuer = $1::text and oidc_subject = $2::text`,
    [issuer, subject],
  );
  return row && userRow.read(row);
}

/**
 * Has somebody be known at a provider, who was not known at one yet.
 * @returns whether they were not
 * @throws DatabaseError
 */
export async function linkToOidc(
  sql: Sql,
  user: string,
  { issuer, subject }: OidcIdentity,
): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.users set oidc_issuer = $2::text, oidc_subject = $3::text
      where id = $1::text and oidc_subject is null returning id`,
    [user, issuer, subject],
  );
  return rows.length > 0;
}

/** Gives somebody another password. @throws DatabaseError */
export async function setPasswordHash(sql: Sql, user: string, passwordHash: string): Promise<void> {
  await sql.query(SQL`update graphloom.users set password_hash = $2::text where id = $1::text`, [
    user,
    passwordHash,
  ]);
}

/** Whether anybody has an account. @throws DatabaseError */
export async function hasUsers(sql: Sql): Promise<boolean> {
  return (await sql.query(SQL`select 1 as one from graphloom.users limit 1`)).length > 0;
}

/** Has somebody have no password. @throws DatabaseError */
export async function dropPassword(sql: Sql, user: string): Promise<void> {
  await sql.query(SQL`update graphloom.users set password_hash = null where id = $1::text`, [user]);
}
