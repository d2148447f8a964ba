import { randomBytes } from "node:crypto";
import { type Database, DatabaseError, SQL } from "../../store/database/database.js";
import { quoteName, quoteText } from "../../store/database/quote.js";
import { arrayText } from "../../store/database/sql-array.js";
import { Problem } from "../problem.js";
import type { SinkAccess } from "./hosted-sink-rows.js";
import { scramVerifier } from "./scram-verifier.js";

/** Connections that the role of a hosted database may have at once. */
export const mostConnections = 20;

/**
 * Checks that the server's own role may create databases, and that a new role could not connect to the server's own
 * database, where it could take locks.
 * @throws Problem `unprocessable` with the statements that the operator runs; DatabaseError
 */
export async function requireRights(database: Database): Promise<void> {
  const [found] = await database.query(
    SQL`select rolsuper or (rolcreaterole and rolcreatedb) as may_create, current_user as role,
        current_database() as own, has_database_privilege('public', current_database(), 'connect') as is_open
      from pg_roles where rolname = current_user`,
  );
  if (!found) throw new DatabaseError("the server does not know its own role");
  const { may_create: mayCreate, role, own, is_open: isOpen } = found;
  const [named, database_] = [quoteName(role ?? ""), quoteName(own ?? "")];
  const statements = [
    ...(mayCreate === "t" ? [] : [`alter role ${named} createrole createdb;`]),
    ...(isOpen === "t"
      ? [
          `revoke connect on database ${database_} from public;`,
          `grant connect on database ${database_} to ${named};`,
        ]
      : []),
  ];
  if (statements.length === 0) return;
  throw new Problem(
    "unprocessable",
    `This server's PostgreSQL is not prepared for hosted sinks. Its operator runs there: ${statements.join(" ")}`,
  );
}

/**
 * Creates a database and a role that owns it. Nobody else may connect to it. If this fails, parts of it may be there.
 * @param name of both; letters, digits and `_`
 * @returns the role's password
 * @throws DatabaseError
 */
export async function createHostedDatabase(database: Database, name: string): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  const [named, limit] = [quoteName(name), mostConnections];
  const verifier = quoteText(scramVerifier(password, randomBytes(16)));
  await database.run(
    SQL`create role ${named} login nosuperuser nocreatedb nocreaterole connection limit ${limit} password ${verifier}`,
  );
  // Whoever gives a database to a role must be a member of it.
  await database.run(SQL`grant ${named} to current_user`);
  // Until others are shut out, nobody can connect.
  await database.run(
    SQL`create database ${named} owner ${named} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'
      connection limit 0`,
  );
  await database.run(SQL`revoke all on database ${named} from public`);
  await database.run(SQL`alter database ${named} connection limit ${limit}`);
  return password;
}

/** Drops what there is of a hosted database, with connections to it. @throws DatabaseError */
export async function dropHostedDatabase(database: Database, name: string): Promise<void> {
  await database.run(SQL`drop database if exists ${quoteName(name)} with (force)`);
  await database.run(SQL`drop role if exists ${quoteName(name)}`);
}

/** The bytes of a database; `undefined` if it is gone. @throws DatabaseError */
export async function sizeOfDatabase(database: Database, name: string): Promise<number | undefined> {
  const [row] = await database.query(
    SQL`select pg_database_size(oid) as bytes from pg_database where datname = $1::text`,
    [name],
  );
  return row && Number(row.bytes);
}

/**
 * Sets what clients may do with a hosted database. The role owns the database and can undo some of it, but a role cannot
 * give itself back the right to log in.
 * @throws DatabaseError
 */
export async function setAccess(database: Database, name: string, access: SinkAccess): Promise<void> {
  const named = quoteName(name);
  const isReadOnly = access === "open" ? SQL`off` : SQL`on`;
  await database.run(SQL`alter role ${named} set default_transaction_read_only = ${isReadOnly}`);
  await database.run(SQL`alter role ${named} ${access === "closed" ? SQL`nologin` : SQL`login`}`);
  await database.run(
    SQL`alter database ${named} connection limit ${access === "closed" ? 0 : mostConnections}`,
  );
}

/** Ends the connections of roles to all databases of the server. @throws DatabaseError */
export async function endSessions(database: Database, roles: readonly string[]): Promise<void> {
  await database.query(
    SQL`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = any($1::text[]) and pid <> pg_backend_pid()`,
    [arrayText(roles)],
  );
}

/**
 * The used share of the queue for notifications. All databases of a PostgreSQL server share it, and a session that
 * listens within an open transaction lets it fill up.
 * @throws DatabaseError
 */
export async function notificationQueueUsage(database: Database): Promise<number> {
  const [row] = await database.query(SQL`select pg_notification_queue_usage() as usage`);
  return Number(row?.usage);
}
