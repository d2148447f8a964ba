import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { type Database, SQL } from "../../store/database/database.js";
import { quoteName, quoteText } from "../../store/database/quote.js";
import { arrayText } from "../../store/database/sql-array.js";

const iterations = 4096;

/**
 * Creates a database that the login owns, and a role that cannot connect to it yet: `secureSink` permits this. After
 * a failure, parts of both may exist.
 * @param name the name of both; letters, digits and `_`
 * @returns the role's password
 * @throws DatabaseError
 */
export async function createHostedDatabase(database: Database, name: string): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  const named = quoteName(name);
  const verifier = quoteText(scramVerifier(password, randomBytes(16)));
  await database.run(
    SQL`create role ${named} login nosuperuser nocreatedb nocreaterole noinherit connection limit 0 password ${verifier}`,
  );
  // Only a member of the role may end its sessions, and give it a schema.
  await database.run(SQL`grant ${named} to current_user`);
  // Until others are shut out, no one can connect.
  await database.run(
    SQL`create database ${named} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C' connection limit 0`,
  );
  return password;
}

/** Drops all existing parts of a hosted database, and closes its connections. @throws DatabaseError */
export async function dropHostedDatabase(database: Database, name: string): Promise<void> {
  await database.run(SQL`drop database if exists ${quoteName(name)} with (force)`);
  await endSessions(database, [name]);
  await database.run(SQL`drop role if exists ${quoteName(name)}`);
}

/** Ends the connections of roles to all databases of the cluster. @throws DatabaseError */
export async function endSessions(database: Database, roles: readonly string[]): Promise<void> {
  await database.query(
    SQL`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = any($1::text[]) and pid <> pg_backend_pid()`,
    [arrayText(roles)],
  );
}

/**
 * Ends connections with a transaction that has been idle or open for too long. Such a transaction keeps PostgreSQL from
 * removing dead rows and read notifications in the whole cluster. A role can lift the timeouts in its own sessions.
 * @param limits milliseconds
 * @throws DatabaseError
 */
export async function endLongTransactions(
  database: Database,
  roles: readonly string[],
  { idle, open }: { readonly idle: number; readonly open: number },
): Promise<void> {
  await database.query(
    SQL`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = any($1::text[]) and pid <> pg_backend_pid() and (
        xact_start < clock_timestamp() - ${open} * interval '1 ms'
        or state like 'idle in transaction%' and state_change < clock_timestamp() - ${idle} * interval '1 ms')`,
    [arrayText(roles)],
  );
}

/**
 * The used share of the queue for notifications. All databases of a cluster share it, and a session that listens within
 * an open transaction lets it fill up.
 * @throws DatabaseError
 */
export async function notificationQueueUsage(database: Database): Promise<number> {
  const [row] = await database.query(SQL`select pg_notification_queue_usage() as usage`);
  return Number(row?.usage);
}

/** The bytes of a database; `undefined` if it is gone. @throws DatabaseError */
export async function sizeOfDatabase(database: Database, name: string): Promise<number | undefined> {
  const [row] = await database.query(
    SQL`select pg_database_size(oid) as bytes from pg_database where datname = $1::text`,
    [name],
  );
  return row && Number(row.bytes);
}

/** The major version of the cluster's PostgreSQL. @throws DatabaseError */
export async function majorVersion(database: Database): Promise<number> {
  const [found] = await database.query(
    SQL`select current_setting('server_version_num')::integer / 10000 as version`,
  );
  return Number(found?.version);
}

/**
 * What PostgreSQL stores for a password (SCRAM-SHA-256, RFC 5803). A statement with it may appear in the server's
 * log, since it does not allow anyone to sign in.
 * @param password ASCII only, which needs no preparation
 * @param salt random bytes
 */
function scramVerifier(password: string, salt: Uint8Array): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyed = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(keyed("Client Key")).digest("base64");
  const encodedSalt = Buffer.from(salt).toString("base64");
  return `SCRAM-SHA-256$${iterations}:${encodedSalt}$${storedKey}:${keyed("Server Key").toString("base64")}`;
}
