import { randomUUID } from "node:crypto";
import { invariant } from "../../base/invariant.js";
import { type Database, DatabaseError, SQL } from "../../store/database/database.js";
import { type DatabaseWorld, openAdministration } from "../../store/open.js";
import { majorVersion } from "./hosted-database.js";
import { type SinkServer, sinkServerOf } from "./sink-server.js";

/** A PostgreSQL cluster with hosted databases, as the login that creates and owns them sees it. */
export interface HostedCluster {
  /** The login's own database. */
  readonly database: Database;
  /** Where clients find the hosted databases. */
  readonly server: SinkServer;
  /** Whether the server's own database is in this cluster too. */
  readonly isShared: boolean;
  /** Opens a database of the cluster with the same login. @throws DatabaseError */
  open(name: string): Promise<Database>;
}

/** Why a server does not start with its hosted databases, and what to do. */
export class HostedClusterError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = "HostedClusterError";
    this.hint = hint;
  }
}

const oldestVersion = 14;

/**
 * Opens the cluster of the hosted databases. All databases of a cluster share its disk, memory, locks and queue of
 * notifications. So the server's own database is elsewhere, unless the operator insists.
 * @param address of the login's database; `sinkServerOf` can read it
 * @param own the server's database
 * @throws HostedClusterError for a cluster that is not suitable; DatabaseError
 */
export async function openHostedCluster(
  address: string,
  { own, mayShare }: { readonly own: Database; readonly mayShare: boolean },
  world: DatabaseWorld,
): Promise<HostedCluster> {
  const server = sinkServerOf(address);
  invariant(server !== undefined, "the address was checked for a single host");
  const database = await openAdministration(address, world).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    throw new HostedClusterError(
      `The PostgreSQL of --hosted-sinks cannot be used: ${error.message}`,
      error.hint ?? "Correct the address.",
    );
  });
  try {
    await checkCluster(database);
    const isShared = own.provider === "postgres" && (await isSameCluster(own, database));
    if (isShared && !mayShare) {
      throw new HostedClusterError(
        "--hosted-sinks is the PostgreSQL cluster of the server's own database. There, one hosted database can stop the whole server.",
        "Pass the address of another cluster. To accept the risk, add --hosted-sinks-share-cluster.",
      );
    }
    return { database, server, isShared, open: (name) => openAdministration(withName(address, name), world) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function checkCluster(database: Database): Promise<void> {
  const version = await majorVersion(database);
  if (version < oldestVersion) {
    throw new HostedClusterError(
      `--hosted-sinks is a PostgreSQL ${version}, but ${oldestVersion} or later is required.`,
      "Use a newer one.",
    );
  }
  const [found] = await database.query(SQL`select pg_is_in_recovery() as standby`);
  if (found?.standby === "t") {
    throw new HostedClusterError(
      "--hosted-sinks is a standby, which cannot be written.",
      "Pass its primary.",
    );
  }
}

async function isSameCluster(one: Database, other: Database): Promise<boolean> {
  const first = await identifierOf(one);
  const second = await identifierOf(other);
  if (first !== undefined && second !== undefined) return first === second;
  return seesSession(one, other);
}

/** The number that a cluster gets when it is created; `undefined` if the role may not read it. */
async function identifierOf(database: Database): Promise<string | undefined> {
  try {
    const [row] = await database.query(SQL`select system_identifier::text as id from pg_control_system()`);
    return row?.id ?? undefined;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === "42501") return undefined;
    throw error;
  }
}

/** Whether one database sees a session of the other: every role sees the sessions of its whole cluster. */
async function seesSession(one: Database, other: Database): Promise<boolean> {
  const mark = `graphloom-${randomUUID()}`;
  return other.transaction(async (sql) => {
    await sql.query(SQL`select set_config('application_name', $1::text, true)`, [mark]);
    const rows = await one.query(SQL`select 1 from pg_stat_activity where application_name = $1::text`, [
      mark,
    ]);
    return rows.length > 0;
  });
}

function withName(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}
