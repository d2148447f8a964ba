import { columns, type RowOf, text, time } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { hashOf, randomId, randomToken } from "../sealing/hashed.js";
import { type Role, role } from "./api-keys.js";

const invitationRow = columns({
  id: text,
  project: text,
  email: text,
  role,
  createdAt: time,
  expiresAt: time,
});

/** An invitation to become a member. */
export type Invitation = RowOf<typeof invitationRow>;

/** Days for which an invitation is valid. */
export const invitationDays = 7;

/**
 * Invites a person. It replaces an earlier invitation of the same address.
 * @returns the invitation with the token that ends its link; only a hash of the token is stored
 * @throws DatabaseError
 */
export async function invite(
  sql: Sql,
  { project, email, role }: Pick<Invitation, "project" | "email" | "role">,
): Promise<Invitation & { readonly token: string }> {
  const token = randomToken("gli");
  const [row] = await sql.query(
    SQL`insert into graphloom.invitations (id, project, email, role, hash, expires_at)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, now() + make_interval(days => $6::int))
      on conflict (project, email) do update set id = excluded.id, role = excluded.role, hash = excluded.hash,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      returning ${invitationRow.list}`,
    [randomId("invitation"), project, email, role, hashOf(token), String(invitationDays)],
  );
  return { ...invitationRow.read(row ?? {}), token };
}

/** The valid invitations of a project, oldest first. @throws DatabaseError */
export async function listInvitations(sql: Sql, project: string): Promise<readonly Invitation[]> {
  const rows = await sql.query(
    SQL`select ${invitationRow.list} from graphloom.invitations where project = $1::text and expires_at > now()
      order by created_at, id`,
    [project],
  );
  return rows.map(invitationRow.read);
}

/**
 * The invitation of a link; `undefined` if it is unknown, withdrawn, used or expired. @throws DatabaseError
 */
export async function findInvitation(sql: Sql, token: string): Promise<Invitation | undefined> {
  const [row] = await sql.query(
    SQL`select ${invitationRow.list} from graphloom.invitations where hash = $1::text and expires_at > now()`,
    [hashOf(token)],
  );
  return row && invitationRow.read(row);
}

/** The valid invitations of an email address in all projects. @throws DatabaseError */
export async function invitationsOf(sql: Sql, email: string): Promise<readonly Invitation[]> {
  const rows = await sql.query(
    SQL`select ${invitationRow.list} from graphloom.invitations where email = $1::text and expires_at > now()
      order by created_at, id`,
    [email],
  );
  return rows.map(invitationRow.read);
}

/** Changes the role of an invitation. @throws DatabaseError */
export async function setInvitedRole(sql: Sql, id: string, role: Role): Promise<void> {
  await sql.query(SQL`update graphloom.invitations set role = $2::text where id = $1::text`, [id, role]);
}

/** Uses up or withdraws an invitation. @returns its last state; `undefined` if it is gone @throws DatabaseError */
export async function endInvitation(sql: Sql, id: string): Promise<Invitation | undefined> {
  const [row] = await sql.query(
    SQL`delete from graphloom.invitations where id = $1::text returning ${invitationRow.list}`,
    [id],
  );
  return row && invitationRow.read(row);
}
