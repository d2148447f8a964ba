import { columns, computed, type RowOf, text } from "../../../store/database/columns.js";
import { SQL, type Sql } from "../../../store/database/database.js";
import { hashOf, randomToken } from "../../sealing/hashed.js";

const grantRow = columns({
  user: computed(SQL`person`, text),
  client: text,
  redirectUri: text,
  /** SHA-256 of the client's verifier, in base64url. */
  challenge: text,
});

/** What a code grants, and to whom; the exchange must repeat the same values. */
export type CodeGrant = RowOf<typeof grantRow>;

/** The result of using a code. */
export type CodeUse =
  | { readonly grant: CodeGrant }
  /** The code was already used; `session` is the session that it created then. */
  | { readonly session?: string };

/** Minutes for which a code is valid. */
const minutes = 2;

/** Creates a code, `glc_…`, and stores only its hash. @throws DatabaseError */
export async function addCode(
  sql: Sql,
  { user, client, redirectUri, challenge }: CodeGrant,
): Promise<string> {
  const code = randomToken("glc");
  // A token lasts 30 days, so older codes can no longer end one.
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

/** Uses up a code. @returns `undefined` if it is unknown or has expired @throws DatabaseError */
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

/**
 * Ends the codes of a person that are not used yet. A code that is just being used has its session afterwards.
 * @throws DatabaseError
 */
export async function endCodesOf(sql: Sql, user: string): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.authorization_codes where person = $1::text and used_at is null`,
    [user],
  );
}

/** Records the session that a code created. @throws DatabaseError */
export async function noteCodeSession(sql: Sql, code: string, session: string): Promise<void> {
  await sql.query(SQL`update graphloom.authorization_codes set session = $2::text where hash = $1::text`, [
    hashOf(code),
    session,
  ]);
}
