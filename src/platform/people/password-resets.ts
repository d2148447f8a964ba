import { SQL, type Sql } from "../../store/database/database.js";
import { hashOf, randomToken } from "../sealing/hashed.js";
import { type User, userRow } from "./users.js";

/** Minutes that a link for another password is good for. */
export const resetMinutes = 30;

/** Makes the token of a link for another password, of which only a hash is kept. @throws DatabaseError */
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
 * Uses the token of a link up, and with it all others of the same person.
 * @returns nothing for one that is unknown, used or too old
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

/** Has all links of somebody be good for nothing any more. @throws DatabaseError */
export async function endPasswordResets(sql: Sql, user: string): Promise<void> {
  await sql.query(SQL`delete from graphloom.password_resets where person = $1::text`, [user]);
}
