import { columns, computed, type RowOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { hashOf, randomToken } from "../sealing/hashed.js";

const grantRow = columns({
  user: computed(SQL`person`, text),
  client: text,
  redirectUri: text,
  /** SHA-256 of what only the client knows, base64url. */
  challenge: text,
});

/** What a code was made for; who uses it has to say the same. */
export type CodeGrant = RowOf<typeof grantRow>;

/** What came of the use of a code. */
export type CodeUse =
  | { readonly grant: CodeGrant }
  /** It was used before: `session` is what was made for it then. */
  | { readonly session?: string };

/** Minutes that a code is good for. */
const minutes = 2;

/** Makes a code, `glc_…`, of which only a hash is kept. @throws DatabaseError */
export async function addCode(
  sql: Sql,
  { user, client, redirectUri, challenge }: CodeGrant,
): Promise<string> {
  const code = randomToken("glc");
  // Those that nobody can have a token of any more tell nothing.
  await sql.query(
    SQL`delete from graphloom.authorization_codes where expires_at < now() - interval '30 days'`,
  );
  await sql.query(
    SQL`insert into graphloom.authorization_codes (hash, person, client, redirect_uri, challenge, expires_at)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, now() + make_interval(mins => $6::int))`,
    [hashOf(code), user, client, redirectUri, challenge, String(minutes)],
  );
  return code;
}

/** Uses a code up. @returns nothing for one that is unknown or too old @throws DatabaseError */
export async function useCode(sql: Sql, code: string): Promise<CodeUse | undefined> {
  const [row] = await sql.query(
    SQL`update graphloom.authorization_codes set used_at = now()
      where hash = $1::text and used_at is null and expires_at > now()
      returning ${grantRow.list}`,
    [hashOf(code)],
  );
  if (row) return { grant: grantRow.read(row) };
  const [used] = await sql.query(
    SQL`select session from graphloom.authorization_codes where hash = $1::text and used_at is not null`,
    [hashOf(code)],
  );
  return used && { ...(used.session != null && { session: used.session }) };
}

/** Remembers what was made for a code. @throws DatabaseError */
export async function noteCodeSession(sql: Sql, code: string, session: string): Promise<void> {
  await sql.query(SQL`update graphloom.authorization_codes set session = $2::text where hash = $1::text`, [
    hashOf(code),
    session,
  ]);
}
