import { SQL, type Sql } from "../../store/database/database.js";

/** Days that a network is remembered after somebody has signed in from it. */
const days = 180;

/** Remembers that somebody has signed in from a network. @throws DatabaseError */
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

/** Whether somebody has signed in from a network; nobody has whose address is not known. @throws DatabaseError */
export async function hasSignedInFrom(sql: Sql, email: string, network: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.known_networks k join graphloom.users u on u.id = k.person
      where u.email = $1::text and k.network = $2::text and k.seen_at > now() - make_interval(days => $3::int)`,
    [email, network, String(days)],
  );
  return rows.length > 0;
}
