import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";

/** Tells our locks from those of others in the same database. */
const seed = SQL`7236540195`;
/** Before the name of a network: no deployment is called so. */
const serverOf = "server ";

/** What the session that looks is called in what it sees; others by the numbers of their processes at the server. */
export const ownSession = SQL`own`;

/** Which sessions hold which locks. */
export interface LockView {
  /** The sessions of the servers that have a node of a network. */
  readonly servers: ReadonlyMap<string, readonly string[]>;
  /** The session that holds the lease of a deployment; none of those that are free. */
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

/** Has others see that this session's server can index networks. @throws DatabaseError */
export async function standFor(sql: Sql, networks: readonly string[]): Promise<void> {
  await sql.query(
    SQL`select pg_advisory_lock_shared(hashtextextended(name, ${seed})) from unnest($1::text[]) as n (name)`,
    [namesOf(networks)],
  );
}

/** Has others see that it does no longer. @throws DatabaseError */
export async function standDown(sql: Sql, networks: readonly string[]): Promise<void> {
  await sql.query(
    SQL`select pg_advisory_unlock_shared(hashtextextended(name, ${seed})) from unnest($1::text[]) as n (name)`,
    [namesOf(networks)],
  );
}

/** Looks who holds what. @throws DatabaseError */
export async function readLocks(
  sql: Sql,
  networks: readonly string[],
  deployments: readonly string[],
): Promise<LockView> {
  // As the server splits the key of a lock: its upper and its lower half, as numbers without a sign.
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
