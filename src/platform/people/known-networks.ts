import { SQL, type Sql } from "../../store/database/database.js";

/** The server remembers a network for this many days after a sign-in. */
const days = 180;

/** Records that a person signed in from a network. @throws DatabaseError */
export async function noteNetwork(sql: Sql, user: string, network: string): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.known_networks
      where person = $1::text and seen_at < now() - make_interval(days => $2::int)`,
    [user, String(days)],
  );
  await sql.query(
    SQL`insert into graphloom.known_networks (person, network) values ($1::text, $2::text)
      on conflict (person, network) do update set seen_at = now()`,
    [user, network],
  );
}

/** Whether a person has signed in from a network; false for an unknown email address. @throws DatabaseError */
export async function hasSignedInFrom(sql: Sql, email: string, network: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.known_networks k join graphloom.users u on u.id = k.person
      where u.email = $1::text and k.network = $2::text and k.seen_at > now() - make_interval(days => $3::int)`,
    [email, network, String(days)],
  );
  return rows.length > 0;
}
