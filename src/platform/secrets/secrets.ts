import { bytesText } from "../../store/database/bytea.js";
import { bytes, cell, columns, nullable, type RowOf, text, time } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { seal, unseal } from "../sealing/sealed.js";

export interface SecretName {
  readonly project: string;
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
}

const secretRow = columns({
  project: text,
  name: text,
  /** `jdbc` */
  type: text,
  description: nullable(text),
  createdAt: time,
  updatedAt: time,
});
const sealedRow = columns({ sealedValue: bytes });

/** A secret, without its value. */
export type Secret = RowOf<typeof secretRow>;

/** A secret to store. */
export interface NewSecret extends SecretName {
  readonly type: string;
  readonly description: string | null;
  /** Encrypted. */
  readonly sealedValue: Uint8Array;
}

/** A change of a secret; absent fields stay unchanged. */
export interface SecretChange {
  readonly description?: string | null;
  /** Encrypted. */
  readonly sealedValue?: Uint8Array;
}

/** Encrypts the value of a secret so that only this secret can open it. @param key 32 bytes @param value its JSON */
export function sealSecret(key: Uint8Array, name: SecretName, value: string): Uint8Array {
  return seal(key, value, sealPlace(name));
}

/** Stores a secret. @returns false if the project already has a secret with the name @throws DatabaseError */
export async function addSecret(sql: Sql, added: NewSecret): Promise<boolean> {
  const rows = await sql.query(
    SQL`insert into graphloom.secrets (project, name, type, description, sealed_value)
      values ($1::text, $2::text, $3::text, $4::text, $5::bytea)
      on conflict (project, name) do nothing returning name`,
    [added.project, added.name, added.type, added.description, bytesText(added.sealedValue)],
  );
  return rows.length > 0;
}

/**
 * A secret of a project.
 * @param isLocked whether others must wait to change, delete or start using it until the transaction ends
 * @throws DatabaseError
 */
export async function findSecret(
  sql: Sql,
  { project, name }: SecretName,
  { isLocked = false }: { readonly isLocked?: boolean } = {},
): Promise<Secret | undefined> {
  const [row] = await sql.query(
    SQL`select ${secretRow.list} from graphloom.secrets where project = $1::text and name = $2::text
      ${isLocked ? SQL`for update` : SQL``}`,
    [project, name],
  );
  return row && secretRow.read(row);
}

/**
 * The secrets of a project by name.
 * @param page at most `limit` secrets, from the first name after `after`; all by default
 * @throws DatabaseError
 */
export async function listSecrets(
  sql: Sql,
  project: string,
  { after = "", limit }: { readonly after?: string; readonly limit?: number } = {},
): Promise<readonly Secret[]> {
  const rows = await sql.query(
    SQL`select ${secretRow.list} from graphloom.secrets
      where project = $1::text and name collate "C" > $2::text order by name collate "C" limit $3::int`,
    [project, after, limit === undefined ? null : String(limit)],
  );
  return rows.map(secretRow.read);
}

/**
 * The value of a secret: its JSON.
 * @param key 32 bytes
 * @returns `undefined` if the secret does not exist
 * @throws SealBroken when it was encrypted with a different key, or was changed; DatabaseError
 */
export async function openSecret(
  sql: Sql,
  { project, name }: SecretName,
  key: Uint8Array,
): Promise<string | undefined> {
  const [row] = await sql.query(
    SQL`select ${sealedRow.list} from graphloom.secrets where project = $1::text and name = $2::text`,
    [project, name],
  );
  return row && unseal(key, sealedRow.read(row).sealedValue, sealPlace({ project, name }));
}

/** Changes a secret. @returns the changed secret; `undefined` if it does not exist @throws DatabaseError */
export async function changeSecret(
  sql: Sql,
  { project, name }: SecretName,
  { description, sealedValue }: SecretChange,
): Promise<Secret | undefined> {
  const [row] = await sql.query(
    SQL`update graphloom.secrets set updated_at = now(),
        description = case when $3::boolean then $4::text else description end,
        sealed_value = coalesce($5::bytea, sealed_value)
      where project = $1::text and name = $2::text returning ${secretRow.list}`,
    [
      project,
      name,
      String(description !== undefined),
      description ?? null,
      sealedValue ? bytesText(sealedValue) : null,
    ],
  );
  return row && secretRow.read(row);
}

/** Names everything that uses a secret. A secret in use cannot be deleted. @throws DatabaseError */
export async function usesOfSecret(sql: Sql, { project, name }: SecretName): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select used_by from graphloom.secret_uses where project = $1::text and secret = $2::text
      order by used_by collate "C"`,
    [project, name],
  );
  return rows.map((row) => cell(row, "used_by"));
}

/** Names everything that uses some secrets of a project, by secret. @throws DatabaseError */
export async function usesOfSecrets(
  sql: Sql,
  project: string,
  secrets: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await sql.query(
    SQL`select secret, used_by from graphloom.secret_uses where project = $1::text and secret = any($2::text[])
      order by used_by collate "C"`,
    [project, arrayText([...secrets])],
  );
  const uses = new Map<string, string[]>();
  for (const row of rows) {
    const secret = cell(row, "secret");
    uses.set(secret, [...(uses.get(secret) ?? []), cell(row, "used_by")]);
  }
  return uses;
}

/**
 * Records the secrets that an object uses, in place of the earlier ones.
 * @throws DatabaseError also for a missing secret
 */
export async function setSecretUses(
  sql: Sql,
  project: string,
  usedBy: string,
  secrets: readonly string[],
): Promise<void> {
  await sql.query(SQL`delete from graphloom.secret_uses where project = $1::text and used_by = $2::text`, [
    project,
    usedBy,
  ]);
  await sql.query(
    SQL`insert into graphloom.secret_uses (project, secret, used_by)
      select distinct $1::text, secret, $2::text from unnest($3::text[]) as s (secret)`,
    [project, usedBy, arrayText([...secrets])],
  );
}

/** Deletes a secret. @returns whether it existed @throws DatabaseError also when something uses it */
export async function deleteSecret(sql: Sql, { project, name }: SecretName): Promise<boolean> {
  const rows = await sql.query(
    SQL`delete from graphloom.secrets where project = $1::text and name = $2::text returning name`,
    [project, name],
  );
  return rows.length > 0;
}

/** Unambiguous, because neither part contains a slash. */
function sealPlace({ project, name }: SecretName): string {
  return `secret ${project}/${name}`;
}
