import { columns, optional, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";

/** A person with an account. */
export interface User {
  /** `user_…`. */
  readonly id: string;
  /** Unique, in lower case. */
  readonly email: string;
  readonly name: string;
}

/** The identity of a person at an OpenID Connect provider. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** The columns of an account. */
export const userRow = columns({ id: text, email: text, name: text });
const signInRow = columns({ id: text, email: text, name: text, passwordHash: optional(text) });

/**
 * Adds a person, with a password hash or an identity at a provider.
 * @returns false if the email address is already taken
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

/** Finds a person by their id. @throws DatabaseError */
export async function findUser(sql: Sql, id: string): Promise<User | undefined> {
  const [row] = await sql.query(SQL`select ${userRow.list} from graphloom.users where id = $1::text`, [id]);
  return row && userRow.read(row);
}

/** Finds a person by their email address, with their password hash. @throws DatabaseError */
export async function findUserByEmail(
  sql: Sql,
  email: string,
): Promise<(User & { readonly passwordHash?: string }) | undefined> {
  const [row] = await sql.query(SQL`select ${signInRow.list} from graphloom.users where email = $1::text`, [
    email,
  ]);
  return row && signInRow.read(row);
}

/** Finds a person by their identity at a provider. @throws DatabaseError */
export async function findUserByOidc(sql: Sql, { issuer, subject }: OidcIdentity): Promise<User | undefined> {
  const [row] = await sql.query(
    SQL`select ${userRow.list} from graphloom.users where oidc_issuer = $1::text and oidc_subject = $2::text`,
    [issuer, subject],
  );
  return row && userRow.read(row);
}

/**
 * Links a person to an identity at a provider, unless they already have one.
 * @returns whether they were linked
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

/**
 * Locks a person's password until the transaction ends, so that others wait to change or use it.
 * @returns whether the password still has this hash
 * @throws DatabaseError
 */
export async function keepPassword(sql: Sql, user: string, passwordHash: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select from graphloom.users where id = $1::text and password_hash = $2::text for no key update`,
    [user, passwordHash],
  );
  return rows.length > 0;
}

/** Sets the password hash of a person. @throws DatabaseError */
export async function setPasswordHash(sql: Sql, user: string, passwordHash: string): Promise<void> {
  await sql.query(SQL`update graphloom.users set password_hash = $2::text where id = $1::text`, [
    user,
    passwordHash,
  ]);
}

/** Whether any account exists. @throws DatabaseError */
export async function hasUsers(sql: Sql): Promise<boolean> {
  return (await sql.query(SQL`select 1 as one from graphloom.users limit 1`)).length > 0;
}

/** Removes the password of a person. @throws DatabaseError */
export async function dropPassword(sql: Sql, user: string): Promise<void> {
  await sql.query(SQL`update graphloom.users set password_hash = null where id = $1::text`, [user]);
}
