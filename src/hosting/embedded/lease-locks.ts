import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";

/** Distinguishes our locks from other programs' locks in the same database. */
const seed = SQL`7236540195`;
/** The prefix of a network's name. No deployment starts with it. */
const serverOf = "server ";

/** The name of this session in its own view. Other sessions are named by their server process ids. */
export const ownSession = SQL`own`;

/** The sessions and their locks. */
export interface LockView {
  /** The sessions of servers with a node for each network. */
  readonly servers: ReadonlyMap<string, readonly string[]>;
  /** The session that holds each deployment's lease, without free ones. */
  readonly holders: ReadonlyMap<string, string>;
}

/** @returns whether it is this session's now @throws DatabaseError */
export async function tryLock(sql: Sql, deployment: string): Promise<boolean> {
  const [row] = await sql.query(
    SQL`select pg_try_advisory_lock(hashtextextended($1::text, ${seed})) as taken`,
    [deployment],
  );
  return row?.taken === "t";
}

/** @throws DatabaseError */
export async function unlock(sql: Sql, deployment: string): Promise<void> {
  await sql.query(SQL`select pg_advisory_unlock(hashtextextended($1::text, ${seed}))`, [deployment]);
}

/** Shows the others that this server can index networks. @throws DatabaseError */
export async function standFor(sql: Sql, networks: readonly string[]): Promise<void> {
  await sql.query(
    SQL`select pg_advisory_lock_shared(hashtextextended(name, ${seed})) from unnest($1::text[]) as n (name)`,
    [namesOf(networks)],
  );
}

/** Shows the others that it no longer can. @throws DatabaseError */
export async function standDown(sql: Sql, networks: readonly string[]): Promise<void> {
  await sql.query(
    SQL`select pg_advisory_unlock_shared(hashtextextended(name, ${seed})) from unnest($1::text[]) as n (name)`,
    [namesOf(networks)],
  );
}

/** Reads who holds which lock. @throws DatabaseError */
export async function readLocks(
  sql: Sql,
  networks: readonly string[],
  deployments: readonly string[],
): Promise<LockView> {
  // The server splits a lock's key into its upper and lower half, as unsigned numbers.
  const rows = await sql.query(
    SQL`select n.name, case when l.pid = pg_backend_pid() then '${ownSession}' else l.pid::text end as session
      from unnest($1::text[] || $2::text[]) as n (name)
      join pg_locks l on l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(n.name, ${seed})`,
    [namesOf(networks), arrayText([...deployments])],
  );
  const servers = new Map<string, string[]>(networks.map((network) => [network, []]));
  const holders = new Map<string, string>();
  for (const { name, session } of rows) {
    if (name == null || session == null) continue;
    if (name.startsWith(serverOf)) servers.get(name.slice(serverOf.length))?.push(session);
    else holders.set(name, session);
  }
  return { servers, holders };
}

function namesOf(networks: readonly string[]): string {
  return arrayText(networks.map((network) => `${serverOf}${network}`));
}
