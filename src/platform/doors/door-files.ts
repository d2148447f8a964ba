import { present } from "../../base/invariant.js";
import { bytesText, parseBytes } from "../../store/database/bytea.js";
import { columns, integer } from "../../store/database/columns.js";
import { type Database, SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { Problem } from "../problem.js";

/** The owner of uploaded files: a project, or a client without a key. */
export type Owner = { readonly project: string } | { readonly client: string };

/** How much can be uploaded that no deployment uses. */
export interface UploadLimits {
  /** Bytes of a project. */
  readonly project: number;
  /** Bytes of a client without a key. */
  readonly client: number;
  /** Bytes of all such clients together. */
  readonly allClients: number;
  /** Files of a project or a client. */
  readonly files: number;
}

const megabyte = 2 ** 20;
const uploadLimits: UploadLimits = {
  project: 256 * megabyte,
  client: 128 * megabyte,
  allClients: 1_024 * megabyte,
  files: 5_000,
};
/** Minutes for which an upload is never deleted to make room for another one. */
const minutesSafe = 10;

/** Files that no version of the owner's project uses, as rows `f`. */
const unused = SQL`not exists (select from graphloom.door_links l
  where l.project = f.owner and l.cid = f.cid)`;

/**
 * Stores an upload. If its owner has no room left, older uploads that no deployment uses are deleted.
 * @throws Problem `too-large` without room; DatabaseError
 */
export async function keepFile(
  database: Database,
  owner: Owner,
  { cid, bytes }: { readonly cid: string; readonly bytes: Uint8Array },
  limits: UploadLimits = uploadLimits,
): Promise<void> {
  const name = ownerName(owner);
  await database.transaction(async (sql) => {
    await sql.query(SQL`select pg_advisory_xact_lock(hashtextextended($1::text, 0))`, [
      "client" in owner ? "door files of clients" : `door files of ${name}`,
    ]);
    const renewed = await sql.query(
      SQL`update graphloom.door_files set uploaded_at = now(), is_claimed = false
        where owner = $1::text and cid = $2::text returning 1 as one`,
      [name, cid],
    );
    if (renewed.length > 0) return;
    await makeRoom(sql, owner, bytes.length, limits);
    await sql.query(
      SQL`insert into graphloom.door_files (owner, cid, bytes) values ($1::text, $2::text, $3::bytea)`,
      [name, cid, bytesText(bytes)],
    );
  });
}

/**
 * A file of any of the given owners.
 * @param withClaimed whether to include files that a project has deployed since
 * @throws DatabaseError
 */
export async function readFile(
  sql: Sql,
  owners: readonly Owner[],
  cid: string,
  { withClaimed = false } = {},
): Promise<Uint8Array | undefined> {
  const [row] = await sql.query(
    SQL`select bytes from graphloom.door_files
      where owner = any($1::text[]) and cid = $2::text and ($3::boolean or not is_claimed) limit 1`,
    [arrayText(owners.map(ownerName)), cid, String(withClaimed)],
  );
  return row?.bytes == null ? undefined : parseBytes(row.bytes);
}

/**
 * Whether any of the given owners has a file and may read it.
 * @throws DatabaseError
 */
export async function hasFile(sql: Sql, owners: readonly Owner[], cid: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.door_files 
      where owner = any($1::text[]) and cid = $2::text and not is_claimed limit 1`,
    [arrayText(owners.map(ownerName)), cid],
  );
  return rows.length > 0;
}

/**
 * Assigns the files of a deployment to its project, for as long as a version shows it. The client that uploaded them
 * can no longer read them. Concurrent deployments with some of the same files keep them.
 * @throws DatabaseError
 */
export async function claimFiles(
  sql: Sql,
  project: string,
  { deployment, cids, client }: { deployment: string; cids: readonly string[]; client: Owner },
): Promise<void> {
  const files = arrayText([...new Set(cids)]);
  const from = ownerName(client);
  await sql.query(
    SQL`insert into graphloom.door_files (owner, cid, bytes)
      select $1::text, cid, bytes from graphloom.door_files where owner = $2::text and cid = any($3::text[])
      on conflict (owner, cid) do update set uploaded_at = now()`,
    [project, from, files],
  );
  await sql.query(
    SQL`update graphloom.door_files set is_claimed = true where owner = $1::text and cid = any($2::text[])`,
    [from, files],
  );
  await sql.query(
    SQL`insert into graphloom.door_links (project, deployment, cid)
      select $1::text, $2::text, unnest($3::text[]) on conflict do nothing`,
    [project, deployment, files],
  );
}

/**
 * Deletes uploads that no deployment has used for some time.
 * @param hours the age of the uploads of projects, and of clients
 * @returns how many were deleted @throws DatabaseError
 */
export async function deleteOldFiles(
  database: Database,
  hours: { readonly project: number; readonly client: number },
): Promise<number> {
  return database.transaction(async (sql) => {
    await sql.query(
      SQL`delete from graphloom.door_links l where not exists (select from graphloom.versions v
        where v.project = l.project and v.deployment = l.deployment)`,
    );
    const rows = await sql.query(
      SQL`delete from graphloom.door_files f where ${unused}
        and f.uploaded_at < now() - case when f.owner like 'client %' then $1::integer else $2::integer end
          * interval '1 hour'
        returning 1 as one`,
      [String(hours.client), String(hours.project)],
    );
    return rows.length;
  });
}

/** @throws Problem `too-large` */
async function makeRoom(sql: Sql, owner: Owner, size: number, limits: UploadLimits): Promise<void> {
  const name = ownerName(owner);
  const isClient = "client" in owner;
  const most = isClient ? limits.client : limits.project;
  const fits = async (): Promise<boolean> => {
    const { bytes, files } = await unusedOf(sql, name);
    return bytes + size <= most && files < limits.files;
  };
  if (!(await fits())) {
    await dropOld(sql, name);
    if (!(await fits())) throw full(most);
  }
  if (isClient && (await bytesOfClients(sql)) + size > limits.allClients) throw full(limits.allClients);
}

async function unusedOf(
  sql: Sql,
  owner: string,
): Promise<{ readonly bytes: number; readonly files: number }> {
  const [row] = await sql.query(
    SQL`select coalesce(sum(length(f.bytes)), 0) as bytes, count(*) as files
      from graphloom.door_files f where f.owner = $1::text and ${unused}`,
    [owner],
  );
  return columns({ bytes: integer, files: integer }).read(present(row, "a sum has one row"));
}

async function bytesOfClients(sql: Sql): Promise<number> {
  const [row] = await sql.query(
    SQL`select coalesce(sum(length(bytes)), 0) as bytes from graphloom.door_files where owner like 'client %'`,
  );
  return columns({ bytes: integer }).read(present(row, "a sum has one row")).bytes;
}

async function dropOld(sql: Sql, owner: string): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.door_files f where f.owner = $1::text and ${unused}
      and f.uploaded_at < now() - $2::integer * interval '1 minute'`,
    [owner, String(minutesSafe)],
  );
}

function full(most: number): Problem {
  return new Problem(
    "too-large",
    `Too many files are uploaded that no deployment uses: ${most / megabyte} MB are allowed. Deploy them, or wait until they are deleted`,
  );
}

function ownerName(owner: Owner): string {
  return "project" in owner ? owner.project : `client ${owner.client}`;
}
