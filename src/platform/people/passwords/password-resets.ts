import { SQL, type Sql } from "../../../store/database/database.js";
import { hashOf, randomToken } from "../../sealing/hashed.js";
import { type User, userRow } from "../users.js";

/** Minutes for which a password reset link is valid. */
export const resetMinutes = 30;

/** Creates the token of a password reset link, and stores only its hash. @throws DatabaseError */
export async function addPasswordReset(sql: Sql, user: string): Promise<string> {
  const token = randomToken("glp");
  await sql.query(SQL`delete from graphloom.password_resets where expires_at < now()`);
  await sql.query(
    SQL`insert into graphloom.password_resets (hash, person, expires_at)
      values ($1::text, $2::text, now() + make_interval(mins => $3::int))`,
    [hashOf(token), user, String(resetMinutes)],
  );
  return token;
}

/**
 * Uses up the token of a link, and all other tokens of the same person.
 * @returns `undefined` if the token is unknown, used or expired
 * @throws DatabaseError
 */
export async function usePasswordReset(sql: Sql, token: string): Promise<User | undefined> {
  const [row] = await sql.query(
    SQL`select u.id, u.email, u.name from graphloom.password_resets r join graphloom.users u on u.id = r.person
      where r.hash = $1::text and r.expires_at > now() for update of r`,
    [hashOf(token)],
  );
  if (!row) return undefined;
  const user = userRow.read(row);
  await endPasswordResets(sql, user.id);
  return user;
}

/** Invalidates all reset links of a person. @throws DatabaseError */
export async function endPasswordResets(sql: Sql, user: string): Promise<void> {
  await sql.query(SQL`delete from graphloom.password_resets where person = $1::text`, [user]);
}
