import { roles as fromMost, type Role } from "../../api/account-operations.js";
import { cell, columns, oneOf, optional, type RowOf, text, time } from "../../store/database/columns.js";
import { type Row, SQL, type Sql } from "../../store/database/database.js";
import { hashOf } from "../sealing/hashed.js";

export type { Role };

/** What a member may do in a project. Each role includes the ones before it. */
export const roles: readonly Role[] = fromMost.toReversed();

/** Whether a role includes the required role. */
export function mayActAs(role: Role, asked: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(asked);
}

/** A role as stored. */
export const role = oneOf(roles);

const keyRow = columns({
  id: text,
  project: text,
  name: text,
  role,
  createdAt: time,
  lastUsedAt: optional(time),
  revokedAt: optional(time),
  maker: optional(text),
  makerName: optional(text),
});

/** A key, without its secret. */
export interface ApiKey extends Omit<RowOf<typeof keyRow>, "maker" | "makerName"> {
  /** Its creator, with the name at that time; absent for keys that the server created. */
  readonly maker?: KeyMaker;
}

/** The creator of a key. */
export interface KeyMaker {
  /** Id of a person or a key. */
  readonly id: string;
  readonly name: string;
}

/** A key to add. */
export interface NewApiKey {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly role: Role;
  /** The secret that its owner sends; only a hash of it is stored. */
  readonly key: string;
  /**
   * Absent if the server creates it. A key that another key creates belongs to the person of that other key.
   */
  readonly maker?: KeyMaker & { readonly kind: "key" | "user" };
}

/** Adds a key. @throws DatabaseError */
export async function addApiKey(sql: Sql, { id, project, name, role, key, maker }: NewApiKey): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.api_keys (id, project, name, role, hash, maker, maker_name, person)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text,
        case $8::text when 'user' then $6::text
          when 'key' then (select k.person from graphloom.api_keys k where k.id = $6::text and k.project = $2::text) end)`,
    [id, project, name, role, hashOf(key), maker?.id ?? null, maker?.name ?? null, maker?.kind ?? null],
  );
}

/** Finds the key that a caller sent; `undefined` if it is unknown or revoked. @throws DatabaseError */
export async function findApiKey(sql: Sql, key: string): Promise<ApiKey | undefined> {
  const [row] = await sql.query(
    SQL`select ${keyRow.list} from graphloom.api_keys where hash = $1::text and revoked_at is null`,
    [hashOf(key)],
    { isFixed: true },
  );
  return row && readKey(row);
}

/** Finds a key that is not revoked by its id. @throws DatabaseError */
export async function findApiKeyById(sql: Sql, id: string): Promise<ApiKey | undefined> {
  const [row] = await sql.query(
    SQL`select ${keyRow.list} from graphloom.api_keys where id = $1::text and revoked_at is null`,
    [id],
  );
  return row && readKey(row);
}

/** Records that a key was used. @throws DatabaseError */
export async function noteUse(sql: Sql, id: string): Promise<void> {
  await sql.query(SQL`update graphloom.api_keys set last_used_at = now() where id = $1::text`, [id]);
}

/** The keys of a project, oldest first, including revoked ones. @throws DatabaseError */
export async function listApiKeys(sql: Sql, project: string): Promise<readonly ApiKey[]> {
  const rows = await sql.query(
    SQL`select ${keyRow.list} from graphloom.api_keys where project = $1::text order by created_at, id`,
    [project],
  );
  return rows.map(readKey);
}

/** Revokes a key and ends its sessions. @returns whether there was a key to revoke @throws DatabaseError */
export async function revokeApiKey(sql: Sql, project: string, id: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.api_keys set revoked_at = now()
      where project = $1::text and id = $2::text and revoked_at is null returning id`,
    [project, id],
  );
  await endSessionsWith(sql, rows);
  return rows.length > 0;
}

/**
 * Revokes all keys of a project that a person created, directly or with their keys.
 * @returns the revoked keys
 * @throws DatabaseError
 */
export async function revokeKeysOf(sql: Sql, project: string, user: string): Promise<readonly ApiKey[]> {
  const rows = await sql.query(
    SQL`update graphloom.api_keys set revoked_at = now()
      where project = $1::text and person = $2::text and revoked_at is null returning ${keyRow.list}`,
    [project, user],
  );
  await endSessionsWith(sql, rows);
  return rows.map(readKey);
}

/**
 * Limits the role of all keys of a project that a person created, directly or with their keys.
 * @returns the keys that had a higher role, with their new role
 * @throws DatabaseError
 */
export async function narrowKeysOf(
  sql: Sql,
  project: string,
  user: string,
  role: Role,
): Promise<readonly ApiKey[]> {
  const narrowed: ApiKey[] = [];
  for (const above of roles.slice(roles.indexOf(role) + 1)) {
    const rows = await sql.query(
      SQL`update graphloom.api_keys set role = $3::text
        where project = $1::text and person = $2::text and role = $4::text and revoked_at is null
        returning ${keyRow.list}`,
      [project, user, role, above],
    );
    narrowed.push(...rows.map(readKey));
  }
  return narrowed;
}

async function endSessionsWith(sql: Sql, keys: readonly Row[]): Promise<void> {
  for (const row of keys)
    await sql.query(SQL`delete from graphloom.sessions where api_key = $1::text`, [cell(row, "id")]);
}

function readKey(row: Row): ApiKey {
  const { maker: id, makerName: name, ...key } = keyRow.read(row);
  return { ...key, ...(id !== undefined && name !== undefined && { maker: { id, name } }) };
}
