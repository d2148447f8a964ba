import { cell } from "../../store/database/columns.js";
import {
  type Database,
  DatabaseError,
  joinFragments,
  SQL,
  type SqlFragment,
} from "../../store/database/database.js";
import { quoteName, quoteText } from "../../store/database/quote.js";
import { arrayText } from "../../store/database/sql-array.js";
import type { HostedCluster } from "./hosted-cluster.js";
import { endSessions } from "./hosted-database.js";
import type { SinkAccess } from "./hosted-sink-rows.js";

/** Connections that the role of a hosted database may have at once. */
export const mostConnections = 20;

/** Milliseconds for which transactions of tenants may be idle, and statements and transactions may run. */
export const sinkTimes = { idle: 300_000, open: 3_600_000 } as const;

/** Kilobytes on disk that a connection may use for sorts, held cursors and the like. */
const mostFileKilobytes = 1_048_576;

/** Milliseconds to wait for a lock. A tenant can hold one on its own role in an open transaction. */
const lockTime = 1_000;
const attempts = 5;

/** The rights of a tenant. */
export interface SinkRights {
  readonly access: SinkAccess;
  /** Whether the login may set `temp_file_limit` (`mayLimitFiles`). */
  readonly limitsFiles: boolean;
  /** The roles of all hosted databases. */
  readonly roles: readonly string[];
}

/**
 * Corrects the rights of a hosted database. The login owns the database. Its tenant connects, creates schemas and
 * owns its own objects, so it cannot change the database. But every role can change its own settings, and before
 * PostgreSQL 15 it can also grant itself to other roles. So this runs regularly, and corrects differences.
 * @throws DatabaseError
 */
export async function secureSink(cluster: HostedCluster, name: string, rights: SinkRights): Promise<void> {
  const { database } = cluster;
  if (await lacksOrder(database, name)) await takeOver(cluster, name);
  const wrong = await wrongSettings(database, name, rights);
  if (wrong.length > 0) await run(database, name, wrong);
}

/** Whether a database has a wrong owner or wrong rights; false if it is gone. */
async function lacksOrder(database: Database, name: string): Promise<boolean> {
  const [found] = await database.query(
    SQL`select datdba = (select oid from pg_roles where rolname = current_user) and datconnlimit = -1
        and not has_database_privilege('public', oid, 'connect, temporary, create')
        and has_database_privilege($1::text, oid, 'connect')
        and has_database_privilege($1::text, oid, 'create')
        and has_database_privilege($1::text, oid, 'temporary')
        and not exists (select from pg_db_role_setting where setdatabase = oid and setrole = 0) as is_in_order
      from pg_database where datname = $1::text`,
    [name],
  );
  return found?.is_in_order === "f";
}

/** Takes a database from a role that owns it, or completes a new one. If interrupted, it is repeated as a whole. */
async function takeOver(cluster: HostedCluster, name: string): Promise<void> {
  const named = quoteName(name);
  await run(cluster.database, name, [
    SQL`revoke all on database ${named} from public`,
    // An owner can have settings that sessions of the login would inherit.
    SQL`alter database ${named} reset all`,
    SQL`alter database ${named} connection limit -1`,
    SQL`grant create, temporary on database ${named} to ${named}`,
  ]);
  await giveSchema(cluster, name);
  await run(cluster.database, name, [
    SQL`alter database ${named} owner to current_user`,
    SQL`grant connect, create, temporary on database ${named} to ${named}`,
  ]);
}

/** Since PostgreSQL 15, only the owner of a database creates tables in `public`. */
async function giveSchema(cluster: HostedCluster, name: string): Promise<void> {
  const database = await cluster.open(name);
  try {
    const [found] = await database.query(
      SQL`select 1 from pg_namespace where nspname = 'public' and nspowner = 'pg_database_owner'::regrole`,
    );
    if (found) await run(database, name, [SQL`alter schema public owner to ${quoteName(name)}`]);
  } finally {
    await database.close();
  }
}

/** The statements that correct a database's role; empty if nothing differs or the role is gone. */
async function wrongSettings(
  database: Database,
  name: string,
  { access, limitsFiles, roles }: SinkRights,
): Promise<readonly SqlFragment[]> {
  const wanted = settingsFor(access, limitsFiles);
  const [found] = await database.query(
    SQL`select r.rolcanlogin = $2::boolean and r.rolconnlimit = ${mostConnections} and not r.rolinherit as is_right,
        coalesce((select to_json(s.setconfig)::text from pg_db_role_setting s
          where s.setrole = r.oid and s.setdatabase = 0), '[]') as settings
      from pg_roles r where r.rolname = $1::text`,
    [name, String(access !== "closed")],
  );
  if (!found) return [];
  const named = quoteName(name);
  const own = new Set(JSON.parse(found.settings ?? "[]") as readonly string[]);
  const login = access === "closed" ? SQL`nologin` : SQL`login`;
  return [
    ...(found.is_right === "t"
      ? []
      : [SQL`alter role ${named} ${login} noinherit connection limit ${mostConnections}`]),
    ...[...wanted].flatMap(([setting, value]) =>
      own.has(`${setting}=${value}`)
        ? []
        : [SQL`alter role ${named} set ${quoteName(setting)} = ${quoteText(value)}`],
    ),
    ...(await settingsElsewhere(database, name, [...wanted.keys()])),
    ...(await memberships(database, name, roles)),
  ];
}

function settingsFor(access: SinkAccess, limitsFiles: boolean): ReadonlyMap<string, string> {
  return new Map([
    ["default_transaction_read_only", access === "open" ? "off" : "on"],
    ["idle_in_transaction_session_timeout", String(sinkTimes.idle)],
    ["statement_timeout", String(sinkTimes.open)],
    ...(limitsFiles ? [["temp_file_limit", String(mostFileKilobytes)] as const] : []),
  ]);
}

/** Settings of a role in one database override its others. */
async function settingsElsewhere(
  database: Database,
  name: string,
  held: readonly string[],
): Promise<readonly SqlFragment[]> {
  const rows = await database.query(
    SQL`select d.datname as database, split_part(c, '=', 1) as setting
      from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase, unnest(s.setconfig) c
      where s.setrole = $1::regrole and split_part(c, '=', 1) = any($2::text[])`,
    [quoteName(name), arrayText(held)],
  );
  return rows.map(
    (row) =>
      SQL`alter role ${quoteName(name)} in database ${quoteName(cell(row, "database"))} reset ${quoteName(cell(row, "setting"))}`,
  );
}

/** A member of the role could keep working in its database after the role itself is locked out. */
async function memberships(
  database: Database,
  name: string,
  roles: readonly string[],
): Promise<readonly SqlFragment[]> {
  const rows = await database.query(
    SQL`select m.rolname as member from pg_auth_members a join pg_roles m on m.oid = a.member
      where a.roleid = $1::regrole and m.rolname = any($2::text[])`,
    [quoteName(name), arrayText(roles)],
  );
  return rows.map((row) => SQL`revoke ${quoteName(name)} from ${quoteName(cell(row, "member"))}`);
}

/**
 * Runs statements about a role in one transaction. If a session of the role holds a lock that they need, all of its
 * sessions end.
 */
async function run(database: Database, name: string, statements: readonly SqlFragment[]): Promise<void> {
  const script = joinFragments([SQL`set local lock_timeout = ${lockTime}`, ...statements], SQL`; `);
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction((sql) => sql.run(script));
    } catch (error) {
      const isLocked = error instanceof DatabaseError && error.code === "55P03";
      if (!isLocked || attempt === attempts) throw error;
      await endSessions(database, [name]);
    }
  }
}
